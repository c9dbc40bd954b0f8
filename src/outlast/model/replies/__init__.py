"""What the replies of a model say about its task, and the result that is made of it."""
