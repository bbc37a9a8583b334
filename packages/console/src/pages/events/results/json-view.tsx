import { type MouseEvent, useState } from 'react';
import { fieldName } from '../filter/add-condition.ts';
import { type JsonLine, jsonLines } from './json-lines.ts';

/** A field that a person clicked, with its value if a filter can compare it. */
export interface ClickedField {
  readonly name: string;
  readonly value: unknown;
  readonly isComparable: boolean;
}

const colours: Readonly<Record<JsonLine['kind'], string>> = {
  string: 'text-ok',
  number: 'text-warn',
  word: 'text-info',
  bracket: 'text-muted',
};

const indentEm = 1.25;

interface JsonViewProps {
  readonly value: Readonly<Record<string, unknown>>;
  readonly label: string;
  /** A field name was clicked; the element is where a menu belongs. */
  readonly onField?: (field: ClickedField, element: Element) => void;
}

/** A value as coloured JSON whose field names can be clicked. */
export function JsonView({ value, label, onField }: JsonViewProps) {
  const [isWhole, setWhole] = useState(false);
  const { lines, isCut } = jsonLines(value, { isWhole });
  return (
    <div className="min-w-0">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
        tabIndex={0}
        className="max-h-[32rem] overflow-auto rounded-md bg-page px-3 py-2 font-mono text-xs"
      >
        {lines.map((line, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of an event never move.
            key={index}
            className="break-all whitespace-pre-wrap"
            style={{ paddingLeft: `${line.depth * indentEm}em` }}
          >
            {line.key !== undefined && (
              <>
                <Key line={line} value={value} onField={onField} />
                <span className="text-muted">: </span>
              </>
            )}
            <bdi className={colours[line.kind]}>{line.text}</bdi>
            {line.hasComma && <span className="text-muted">,</span>}
          </div>
        ))}
      </section>
      {(isCut || isWhole) && (
        <button
          type="button"
          onClick={() => setWhole(!isWhole)}
          className="mt-1 rounded text-xs text-accent hover:underline"
        >
          {isWhole ? 'Show less' : 'Show full texts'}
        </button>
      )}
    </div>
  );
}

interface KeyProps {
  readonly line: JsonLine;
  readonly value: unknown;
  readonly onField: JsonViewProps['onField'];
}

function Key({ line, value, onField }: KeyProps) {
  const { path, key } = line;
  if (onField === undefined || path === undefined || path.length === 0)
    return <bdi className="text-accent">{key}</bdi>;
  const click = (event: MouseEvent) => {
    const isComparable = line.value !== undefined;
    const clicked = isComparable ? line.value : valueAt(value, path);
    onField({ name: fieldName(path), value: clicked, isComparable }, event.currentTarget);
  };
  return (
    <button
      type="button"
      aria-haspopup="menu"
      onClick={click}
      className="max-w-full rounded text-left text-accent hover:underline"
    >
      <bdi>{key}</bdi>
    </button>
  );
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value);
}
