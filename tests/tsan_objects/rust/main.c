void rust_main(void);

int main(void) { rust_main(); }
