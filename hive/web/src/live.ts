import { useEffect, useState } from 'preact/hooks';
import { ask, Refused } from './api';

const kBetween = 2_000; // milliseconds
const kAfterFailure = 8_000;

export interface Live<Answer> {
  data: Answer | undefined;
  refused: Refused | undefined;
}

// What the hive says there, asked again all the time while somebody looks.
export function useLive<Answer>(path: string): Live<Answer> {
  const [state, setState] = useState<{ path: string } & Live<Answer>>({ path, data: undefined, refused: undefined });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    const turn = async () => {
      let pause = kBetween;
      if (!document.hidden) {
        try {
          const data = await ask<Answer>(path);
          if (!stopped) setState({ path, data, refused: undefined });
        } catch (error) {
          pause = kAfterFailure;
          const refused = error instanceof Refused ? error : new Refused(0, String(error));
          // What was known stays, and it is said that it is old.
          if (!stopped) setState((before) => ({ path, data: before.path === path ? before.data : undefined, refused }));
        }
      }
      if (!stopped) timer = setTimeout(turn, pause);
    };
    const onShown = () => {
      if (document.hidden) return;
      clearTimeout(timer);
      void turn();
    };
    void turn();
    document.addEventListener('visibilitychange', onShown);
    return () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onShown);
    };
  }, [path]);
  return state.path === path ? state : { data: undefined, refused: undefined };
}
