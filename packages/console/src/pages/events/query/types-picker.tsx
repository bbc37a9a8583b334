import { Menu } from '@base-ui/react/menu';
import { CheckIcon, TriangleDownIcon } from '@primer/octicons-react';
import { clusterKind } from '@weir/core';
import { type EventTypeName, eventTypes, eventTypesIn } from '@weir/events';
import { useClusterId, useClusterOperation } from '../../../api/use-cluster.ts';
import { Button } from '../../../ui/button.tsx';
import { popupClass } from '../../../ui/menu.tsx';

interface TypesPickerProps {
  readonly types: readonly EventTypeName[];
  readonly onChange: (types: readonly EventTypeName[]) => void;
}

/** Which types of events to search; none are all. */
export function TypesPicker({ types, onChange }: TypesPickerProps) {
  const clusterId = useClusterId();
  const toggle = (type: EventTypeName) =>
    onChange(types.includes(type) ? types.filter((one) => one !== type) : [...types, type]);
  const { data } = useClusterOperation('get_events_state', {});
  const isOff = (type: EventTypeName) =>
    !eventTypes[type].isEmitted || (data?.enabled === true && data.event_types[type]?.enabled === false);
  const chosenOff = types.filter(isOff);
  return (
    <Menu.Root>
      <Menu.Trigger render={<Button />}>
        <span className="max-w-60 truncate">{labelOf(types)}</span>
        {chosenOff.length > 0 && (
          <span className="text-xs text-warn">
            {chosenOff.length === types.length ? 'not recorded' : `${chosenOff.length} not recorded`}
          </span>
        )}
        <TriangleDownIcon aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="start" className="z-50">
          <Menu.Popup className={popupClass}>
            <Item
              title="All types"
              detail=""
              isOff={false}
              isChecked={types.length === 0}
              onChange={() => onChange([])}
            />
            <Menu.Separator className="my-1 h-px bg-line" />
            {eventTypesIn(clusterKind(clusterId)).map((type) => (
              <Item
                key={type}
                title={eventTypes[type].title}
                detail={type}
                isOff={isOff(type)}
                isChecked={types.includes(type)}
                onChange={() => toggle(type)}
              />
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

interface ItemProps {
  readonly title: string;
  readonly detail: string;
  /** Whether the cluster records no events of it now; older ones may still be there. */
  readonly isOff: boolean;
  readonly isChecked: boolean;
  readonly onChange: () => void;
}

function Item({ title, detail, isOff, isChecked, onChange }: ItemProps) {
  return (
    <Menu.CheckboxItem
      checked={isChecked}
      onCheckedChange={onChange}
      closeOnClick={false}
      className="flex items-center gap-2 rounded px-2 py-1.5 text-sm text-ink outline-none data-highlighted:bg-hover"
    >
      <span className="size-4">{isChecked && <CheckIcon aria-hidden="true" />}</span>
      <span className="flex-1">{title}</span>
      {isOff && (
        <span
          title="The cluster does not record this type; enable it in its settings"
          className="text-xs text-warn"
        >
          not recorded
        </span>
      )}
      <span className="font-mono text-xs text-muted">{detail}</span>
    </Menu.CheckboxItem>
  );
}

function labelOf(types: readonly EventTypeName[]): string {
  if (types.length === 0) return 'All types';
  return types.length === 1 ? eventTypes[types[0]!].title : `${types.length} types`;
}
