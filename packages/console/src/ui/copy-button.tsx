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

/** Copies a text and says so. */
export function copy({ text, what }: CopyProps, onDone?: () => void): void {
  navigator.clipboard.writeText(text).then(
    () => {
      say(`Copied ${what}`);
      onDone?.();
    },
    () => say(`Failed to copy ${what}: the browser denied access to the clipboard`, 'fail'),
  );
}

export function CopyButton(props: CopyProps) {
  const [isDone, setDone] = useState(false);
  const done = () => {
    setDone(true);
    systemClock.after(shownMs, () => setDone(false));
  };
  return (
    <IconButton
      icon={isDone ? CheckIcon : CopyIcon}
      label={`Copy ${props.what}`}
      onClick={() => copy(props, done)}
    />
  );
}

/** An id, which is copied by a click. */
export function CopyableId({ text, what }: CopyProps) {
  return (
    <button
      type="button"
      onClick={() => copy({ text, what })}
      title={visibleText(`Copy ${what}`)}
      className="-mx-1 min-h-6 max-w-full truncate rounded px-1 font-mono text-xs text-muted hover:bg-hover hover:text-ink"
    >
      {visibleText(text)}
    </button>
  );
}
