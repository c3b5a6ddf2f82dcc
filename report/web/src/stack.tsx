import { place, type Frame } from './model';

function Row({ frame, base, label }: { frame: Frame; base: string; label?: string }) {
  return (
    <li class={frame.library ? 'soft' : undefined}>
      <span class="fn">
        {label}
        {frame.function || '(unknown)'}
      </span>
      <span class="at">{place(frame, base)}</span>
    </li>
  );
}

// Frames of libraries that follow each other are folded.
export function Stack({ frames, base, lost, createdAt }: { frames: Frame[]; base: string; lost?: boolean; createdAt?: Frame[] }) {
  const rows = [];
  for (let at = 0; at < frames.length; ) {
    let end = at;
    while (frames[end]?.library) ++end;
    if (end - at >= 2) {
      rows.push(
        <li key={at}>
          <details>
            <summary>… {end - at} library frames</summary>
            <ul class="stack">
              {frames.slice(at, end).map((frame, i) => (
                <Row key={i} frame={frame} base={base} />
              ))}
            </ul>
          </details>
        </li>,
      );
      at = end;
    } else {
      rows.push(<Row key={at} frame={frames[at] ?? {}} base={base} />);
      ++at;
    }
  }
  const created = createdAt?.find((frame) => !frame.library);
  return (
    <ul class="stack">
      {rows}
      {lost && <li class="soft">the callers are not known</li>}
      {created && <Row frame={created} base={base} label="created in " />}
    </ul>
  );
}
