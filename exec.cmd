@rem Scripts of package.json begin with exec, so that a signal to npm reaches the program and not a shell. cmd has no exec.
@%*
