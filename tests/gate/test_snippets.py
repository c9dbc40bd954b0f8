from tests.gate.snippets import Command, Script, snippets

MARKDOWN = """
```python
print("one")
```

- in a list:

  ```python title="two.py"
  if True:
      print("two")
  ```

```console
$ pip install outlast
much text
$ outlast --version
outlast 1.2.3
$ outlast next

second
```

```text
$ outlast is not run here
```
"""


def test_snippets_come_in_order_with_their_indentation_removed() -> None:
    assert list(snippets(MARKDOWN)) == [
        Script('print("one")\n'),
        Script('if True:\n    print("two")\n'),
        Command("outlast --version", "outlast 1.2.3\n"),
        Command("outlast next", "\nsecond\n"),
    ]
