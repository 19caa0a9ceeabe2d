old_name() {
    echo hello
}
