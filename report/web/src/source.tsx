import Prism from 'prismjs';
import 'prismjs/components/prism-c';
import 'prismjs/components/prism-cpp';
import type { ComponentChildren } from 'preact';
import { fullPath, type Frame, type Model } from './model';

interface Piece {
  kind: string;
  text: string;
}

// The pieces of each line: a comment may go over several.
function coloured(text: string): Piece[][] {
  const lines: Piece[][] = [[]];
  const add = (token: string | Prism.Token, kind: string) => {
    if (typeof token !== 'string') {
      const inner = Array.isArray(token.content) ? token.content : [token.content];
      for (const part of inner) add(part, token.type);
      return;
    }
    token.split('\n').forEach((part, i) => {
      if (i > 0) lines.push([]);
      if (part !== '') lines[lines.length - 1]?.push({ kind, text: part });
    });
  };
  const grammar = Prism.languages['cpp'];
  if (grammar === undefined) add(text, '');
  else for (const token of Prism.tokenize(text, grammar)) add(token, '');
  return lines;
}

// The lines around a statement, as far as the page has them.
export function Source({ model, frame, around = 6 }: { model: Pick<Model, 'sources'>; frame: Frame; around?: number }) {
  const known = model.sources[fullPath(frame)];
  const hit = frame.line ?? 0;
  if (known === undefined || known[hit] === undefined) return null;
  const numbers: number[] = [];
  let first = hit;
  while (first > 1 && hit - first < around && known[first - 1] !== undefined) --first;
  for (let n = first; n <= hit + around && known[n] !== undefined; ++n) numbers.push(n);
  const lines = coloured(numbers.map((n) => known[n]).join('\n'));
  return (
    <pre class="source" tabIndex={0} aria-label={`source around line ${hit}`}>
      {numbers.map((n, i) => (
        <span key={n} class={n === hit ? 'line hit' : 'line'} data-line={n}>
          {(lines[i] ?? []).map((piece): ComponentChildren =>
            piece.kind === '' ? piece.text : <span class={`c-${piece.kind}`}>{piece.text}</span>,
          )}
        </span>
      ))}
    </pre>
  );
}
