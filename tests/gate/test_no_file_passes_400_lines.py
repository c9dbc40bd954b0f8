from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "bench", "examples", "scripts")
LIMIT = 400


def test_no_file_passes_400_lines() -> None:
    files = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py*")]
    lengths = {
        str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines())
        for file in files
        if file.suffix in {".py", ".pyi"}
    }
    assert lengths, "the folders have moved"
    assert {name: length for name, length in lengths.items() if length > LIMIT} == {}
