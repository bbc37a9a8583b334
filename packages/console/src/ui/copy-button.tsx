import { CheckIcon, CopyIcon } from '@primer/octicons-react';
import { systemClock } from '@weir/core';
import { useState } from 'react';
import { visibleText } from '../format/visible-text.ts';
import { IconButton } from './button.tsx';
import { say } from './toasts.tsx';

const shownMs = 1_500;

interface CopyProps {
  readonly text: string;
  /** What is copied, for the message: `the cluster id`. */
  readonly what: string;
}

function useCopy({ text, what }: CopyProps): { readonly isDone: boolean; copy(): void } {
  const [isDone, setDone] = useState(false);
  return {
    isDone,
    copy() {
      navigator.clipboard.writeText(text).then(
        () => {
          setDone(true);
          systemClock.after(shownMs, () => setDone(false));
          say(`Copied ${what}`);
        },
        () => say(`Failed to copy ${what}: the browser denied access to the clipboard`, 'fail'),
      );
    },
  };
}

export function CopyButton(props: CopyProps) {
  const { isDone, copy } = useCopy(props);
  return <IconButton icon={isDone ? CheckIcon : CopyIcon} label={`Copy ${props.what}`} onClick={copy} />;
}

/** An id, which is copied by a click. */
export function CopyableId({ text, what }: CopyProps) {
  const { copy } = useCopy({ text, what });
  return (
    <button
      type="button"
      onClick={copy}
      title={visibleText(`Copy ${what}`)}
      className="-mx-1 min-h-6 max-w-full truncate rounded px-1 font-mono text-xs text-muted hover:bg-hover hover:text-ink"
    >
      {visibleText(text)}
    </button>
  );
}
