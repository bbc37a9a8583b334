import { Menu } from '@base-ui/react/menu';
import { cutText, visibleText } from '../../../format/visible-text.ts';
import { copy } from '../../../ui/copy-button.tsx';
import { popupClass } from '../../../ui/menu.tsx';
import type { Literal } from '../filter/literal-text.ts';
import { canBeColumn, columnsMax } from '../state/explorer-state.ts';
import type { Explorer } from '../state/use-explorer.ts';
import type { ClickedField } from './json-view.tsx';

export interface OpenField {
  readonly field: ClickedField;
  readonly element: Element;
}

interface FieldMenuProps {
  readonly explorer: Explorer;
  readonly open: OpenField | undefined;
  readonly onClose: () => void;
}

const shownCharsMax = 40;

/** What can be done with a field of an event. One menu serves all fields of the page. */
export function FieldMenu({ explorer, open, onClose }: FieldMenuProps) {
  const { name = '', value, isComparable = false } = open?.field ?? {};
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const shown = visibleText(cutText(text, shownCharsMax));
  const { columns } = explorer.state;
  const show = (fields: readonly string[]) => explorer.show({ columns: fields });
  const entries = [
    { label: 'Copy name', act: () => copy({ text: name, what: 'the field name' }) },
    { label: 'Copy value', act: () => copy({ text, what: 'the value' }) },
    ...(isComparable
      ? [
          { label: `Filter == ${shown}`, act: () => explorer.addCondition(name, '==', value as Literal) },
          { label: `Filter != ${shown}`, act: () => explorer.addCondition(name, '!=', value as Literal) },
        ]
      : []),
    ...(columns.includes(name)
      ? [{ label: 'Remove column', act: () => show(columns.filter((one) => one !== name)) }]
      : canBeColumn(name) && columns.length < columnsMax
        ? [{ label: 'Show as column', act: () => show([...columns, name]) }]
        : []),
    { label: `Group timeline by ${name}`, act: () => groupBy(explorer, name) },
  ];
  return (
    <Menu.Root open={open !== undefined} onOpenChange={(isOpen) => !isOpen && onClose()} modal={false}>
      <Menu.Portal>
        <Menu.Positioner anchor={open?.element ?? null} sideOffset={4} align="start" className="z-50">
          <Menu.Popup className={popupClass} aria-label={`The field ${name}`}>
            {entries.map(({ label, act }) => (
              <Menu.Item
                key={label}
                onClick={act}
                className="truncate rounded px-2 py-1.5 text-sm text-ink outline-none data-highlighted:bg-hover"
              >
                <bdi>{label}</bdi>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

export function groupBy(explorer: Explorer, field: string): void {
  const { chart } = explorer.state;
  explorer.search({ groupBy: field, ...(chart === 'off' ? { chart: 'bars' } : {}) });
}
