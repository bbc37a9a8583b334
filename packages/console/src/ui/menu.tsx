import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { classNames } from './class-names.ts';

interface MenuEntry {
  readonly id: string;
  readonly label: ReactNode;
  readonly onSelect: () => void;
  readonly isDanger?: boolean;
  /** Why it cannot be chosen now. */
  readonly disabledBecause?: string | undefined;
}

/** A line between entries. */
interface MenuLine {
  readonly id: string;
  readonly line: true;
}

interface MenuProps {
  readonly trigger: ReactElement;
  readonly entries: readonly (MenuEntry | MenuLine)[];
  readonly align?: 'start' | 'end';
}

export const popupClass =
  'z-50 min-w-44 max-w-80 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-popover ' +
  'max-h-[min(24rem,var(--available-height))] transition-opacity duration-150 ' +
  'data-ending-style:opacity-0 data-starting-style:opacity-0';

export function Menu({ trigger, entries, align = 'end' }: MenuProps) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align={align} className="z-50">
          <BaseMenu.Popup className={popupClass}>
            {entries.map((entry) =>
              'line' in entry ? (
                <BaseMenu.Separator key={entry.id} className="my-1 h-px bg-line" />
              ) : (
                <BaseMenu.Item
                  key={entry.id}
                  onClick={entry.onSelect}
                  disabled={entry.disabledBecause !== undefined}
                  title={entry.disabledBecause}
                  className={classNames(
                    'flex items-center gap-2 rounded px-2 py-1.5 text-sm outline-none data-disabled:opacity-50',
                    'data-highlighted:bg-hover [&_svg]:size-4',
                    entry.isDanger ? 'text-fail' : 'text-ink',
                  )}
                >
                  {entry.label}
                </BaseMenu.Item>
              ),
            )}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
