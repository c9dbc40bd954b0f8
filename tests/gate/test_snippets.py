from pathlib import Path

from tests.gate.snippets import Command, Edit, File, Script, snippets

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
$ ./dev run
much text
$ outlast --version
outlast 1.2.3
$ outlast next

second
```

```text
$ outlast is not run here
```

```py title="three.py"
print("three")
```

```diff title="three.py"
 kept

-print("three")
+print("four")
```
"""


def test_snippets_come_in_order_with_their_indentation_removed() -> None:
    assert list(snippets(MARKDOWN)) == [
        Script('print("one")\n'),
        Script('if True:\n    print("two")\n'),
        Command("outlast --version", "outlast 1.2.3\n"),
        Command("outlast next", "\nsecond\n"),
        File("three.py", 'print("three")\n'),
        Edit("three.py", 'kept\n\nprint("three")\n', 'kept\n\nprint("four")\n'),
    ]


def test_an_edit_changes_the_lines_that_it_shows(tmp_path: Path) -> None:
    File("a.txt", "one\ntwo\nthree\n").save(tmp_path)
    Edit("a.txt", "two\n", "2\n").save(tmp_path)
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "one\n2\nthree\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
