import { useState } from 'react';
import { formatCount } from '../../format/format.ts';
import { cutText, visibleText } from '../../format/visible-text.ts';
import { Button } from '../../ui/button.tsx';
import type { RecordPart } from './state/records.ts';

const previewChars = 200;
const shownChars = 20_000;

/** The beginning of a key or value in a row. */
export function PartPreview({ part }: { readonly part: RecordPart | null }) {
  if (part === null) return <span className="text-muted">null</span>;
  if (part.bytes === 0) return <span className="text-muted">empty</span>;
  return (
    <bdi className="font-mono text-xs" dir="ltr">
      {(part.format === 'base64' || part.format === 'hex') && (
        <span className="text-muted">{part.format} </span>
      )}
      {visibleText(cutText(part.text, previewChars))}
    </bdi>
  );
}

/** Text as it is, with its lines; long text in part, until all of it is asked for. */
export function LongText({ text, label }: { readonly text: string; readonly label: string }) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? text : cutText(text, shownChars);
  return (
    <div className="flex flex-col gap-2">
      <section
        aria-label={label}
        dir="ltr"
        className="max-h-[60vh] overflow-auto rounded-md border border-line bg-page p-3 font-mono text-xs break-all whitespace-pre-wrap text-body"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard.
        tabIndex={0}
      >
        <bdi>{shown.split('\n').map(visibleText).join('\n')}</bdi>
      </section>
      {shown.length < text.length && (
        <div>
          <Button onClick={() => setAll(true)}>Show all {formatCount(text.length)} characters</Button>
        </div>
      )}
    </div>
  );
}
