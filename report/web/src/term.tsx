import { useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { terms } from './terms';

// A word that says what it means: when it is pointed at, focused, or touched.
export function Term({ name, children, tone }: { name: string; children?: ComponentChildren; tone?: string }) {
  const [open, setOpen] = useState(false);
  const text = terms[name];
  if (text === undefined) return <span class={tone}>{children ?? name}</span>;
  return (
    <span class="term-box">
      <button
        type="button"
        class={`term ${tone ?? ''}`}
        title={text}
        aria-expanded={open}
        onClick={(event) => {
          event.stopPropagation();
          setOpen(!open);
        }}
        onBlur={() => setOpen(false)}
      >
        {children ?? name}
      </button>
      {open && (
        <span class="explained" role="note">
          {text}
        </span>
      )}
    </span>
  );
}
