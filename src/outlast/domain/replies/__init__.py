"""What the text of a model's reply says about tasks: markers, progress, and moving on."""
