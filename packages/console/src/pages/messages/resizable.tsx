import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { classNames } from '../../ui/class-names.ts';

interface ResizableProps {
  readonly main: ReactNode;
  /** Beside the main part on wide pages, and above it on narrow ones. */
  readonly side: ReactNode | undefined;
  readonly label: string;
}

const percentMin = 25;
const percentMax = 70;
const stepPercent = 5;

/** Two parts with a border that is moved by the pointer or by arrow keys. */
export function Resizable({ main, side, label }: ResizableProps) {
  const [percent, setPercent] = useState(42);
  const box = useRef<HTMLDivElement>(null);
  const change = (wanted: number) =>
    setPercent(Math.round(Math.min(Math.max(wanted, percentMin), percentMax)));
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || box.current === null) return;
    const { right, width } = box.current.getBoundingClientRect();
    change(((right - event.clientX) / width) * 100);
  };
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowLeft' ? stepPercent : event.key === 'ArrowRight' ? -stepPercent : 0;
    if (step === 0) return;
    event.preventDefault();
    change(percent + step);
  };
  return (
    <div
      ref={box}
      className={classNames('grid min-w-0', side !== undefined && 'lg:grid-cols-[var(--columns)]')}
      style={{ '--columns': `minmax(0,1fr) 6px ${percent}%` } as object}
    >
      <div className={classNames('min-w-0', side !== undefined && 'order-2 lg:order-none')}>{main}</div>
      {side !== undefined && (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: a border that moves is no rule between paragraphs. */}
          <div
            role="separator"
            aria-label={label}
            aria-orientation="vertical"
            aria-valuenow={percent}
            aria-valuemin={percentMin}
            aria-valuemax={percentMax}
            tabIndex={0}
            onKeyDown={move}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={drag}
            className="hidden cursor-col-resize border-l border-line bg-page hover:bg-accent-soft lg:block"
          />
          <div className="order-1 min-w-0 border-b border-line lg:order-none lg:border-b-0">{side}</div>
        </>
      )}
    </div>
  );
}
