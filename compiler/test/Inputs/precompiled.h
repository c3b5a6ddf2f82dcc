inline int x;
__attribute__((no_sanitize("thread"))) inline void exempt() { x = 1; }
