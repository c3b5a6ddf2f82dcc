int in_static_entry(void), in_shared_entry(void), in_c(void);
int main(void) { return in_static_entry() + in_shared_entry() + in_c(); }
