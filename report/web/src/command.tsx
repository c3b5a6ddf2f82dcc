import { useState } from 'preact/hooks';

// As a shell needs it.
export const shellWord = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function copy(text: string): Promise<void> {
  if (navigator.clipboard?.writeText) return navigator.clipboard.writeText(text);
  // A page that was opened from a file may have no clipboard of its own.
  const box = document.createElement('textarea');
  box.value = text;
  document.body.append(box);
  box.select();
  const done = document.execCommand('copy');
  box.remove();
  return done ? Promise.resolve() : Promise.reject(new Error('not copied'));
}

export function Command({ text, label }: { text: string; label?: string }) {
  const [state, setState] = useState('copy');
  const onClick = () => {
    copy(text)
      .then(() => setState('copied'))
      .catch(() => setState('select and copy it'));
    setTimeout(() => setState('copy'), 2000);
  };
  return (
    <p class="command">
      {label && <span class="soft">{label} </span>}
      <code>{text}</code>
      <button type="button" class="copy" onClick={onClick} aria-label={`copy: ${text}`}>
        {state}
      </button>
    </p>
  );
}
