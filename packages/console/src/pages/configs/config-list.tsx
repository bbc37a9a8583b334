import { PencilIcon, UndoIcon } from '@primer/octicons-react';
import { configGroupIds, configGroups } from '@weir/core';
import { useId } from 'react';
import { counted } from '../../format/format.ts';
import { ChangeIconButton } from '../../session/change-button.tsx';
import { Checkbox } from '../../ui/fields.tsx';
import { FilterBox, matching, NoMatch } from '../../ui/list-page.tsx';
import { Card } from '../../ui/page.tsx';
import type { ConfigRow } from './config-editor.tsx';
import { shownValue } from './config-values.ts';

interface ConfigListProps {
  readonly rows: readonly ConfigRow[];
  /** Where a value was set: `this topic`. */
  readonly owner: string;
  /** What names, descriptions or values are to contain. */
  readonly filter: string;
  readonly onFilter: (text: string) => void;
  readonly showsAll: boolean;
  readonly onShowAll: (showsAll: boolean) => void;
  readonly onEdit: (row: ConfigRow) => void;
  readonly onReset: (row: ConfigRow) => void;
}

const textOf = ({ definition, value }: ConfigRow) =>
  `${definition.name} ${definition.documentation} ${shownValue(definition, value)}`;

/** Configs in groups, with a filter. Those without effect are left out unless they are set or asked for. */
export function ConfigList(props: ConfigListProps) {
  const { rows, owner, filter, onFilter, showsAll, onShowAll, onEdit, onReset } = props;
  const found = matching(rows, textOf, filter);
  const isUsual = ({ definition, isSet, edit }: ConfigRow) =>
    definition.has_effect || isSet || edit !== undefined;
  const hidden = found.filter((row) => !isUsual(row)).length;
  const shown = showsAll ? found : found.filter(isUsual);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <FilterBox label="Filter configs" value={filter} onChange={onFilter} />
        {hidden > 0 && (
          <Checkbox
            label={`Show ${counted(hidden, 'Kafka config')} without effect here`}
            checked={showsAll}
            onChange={({ target }) => onShowAll(target.checked)}
          />
        )}
      </div>
      {shown.length === 0 && (
        <Card>
          <NoMatch noun="config" />
        </Card>
      )}
      {configGroupIds.map((group) => {
        const inGroup = shown.filter(({ definition }) => definition.group === group);
        return inGroup.length === 0 ? null : (
          <Group key={group} title={configGroups[group]} rows={inGroup} {...{ owner, onEdit, onReset }} />
        );
      })}
    </>
  );
}

interface GroupProps extends Pick<ConfigListProps, 'rows' | 'owner' | 'onEdit' | 'onReset'> {
  readonly title: string;
}

function Group({ title, rows, ...acts }: GroupProps) {
  return (
    <Card title={title}>
      <ul aria-label={title}>
        {rows.map((row) => (
          <Config key={row.definition.name} row={row} {...acts} />
        ))}
      </ul>
    </Card>
  );
}

interface ConfigProps extends Pick<ConfigListProps, 'owner' | 'onEdit' | 'onReset'> {
  readonly row: ConfigRow;
}

function Config({ row, owner, onEdit, onReset }: ConfigProps) {
  const { definition, isSet, edit } = row;
  const { name, documentation } = definition;
  const id = useId();
  const isResettable = isSet ? edit !== null : edit !== undefined;
  return (
    <li
      aria-labelledby={id}
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2 last:border-b-0 hover:bg-hover"
    >
      <div className="min-w-0 flex-[2] basis-72">
        <p id={id} className="font-mono text-xs break-all text-ink">
          {name}
        </p>
        <p className="text-xs text-muted">{documentation}</p>
      </div>
      <div className="flex min-w-0 flex-1 basis-60 items-center gap-2">
        <div className="min-w-0 flex-1">
          <ConfigValue row={row} />
          <ConfigOrigin row={row} owner={owner} />
        </div>
        {isResettable && (
          <ChangeIconButton icon={UndoIcon} label={`Reset ${name} to default`} onClick={() => onReset(row)} />
        )}
        <ChangeIconButton icon={PencilIcon} label={`Edit ${name}`} onClick={() => onEdit(row)} />
      </div>
    </li>
  );
}

function ConfigValue({ row: { definition, value, edit } }: { readonly row: ConfigRow }) {
  const before = shownValue(definition, value);
  if (edit === undefined)
    return (
      <bdi className="font-mono text-xs break-all text-ink" title={value ?? undefined}>
        {before}
      </bdi>
    );
  return (
    <bdi className="font-mono text-xs break-all text-ink">
      <del className="text-muted">{before}</del> {shownValue(definition, edit ?? definition.default)}
    </bdi>
  );
}

/** Where the value comes from, and what it would be without it. */
function ConfigOrigin({ row: { definition, isSet, edit }, owner }: Pick<ConfigProps, 'row' | 'owner'>) {
  if (edit !== undefined)
    return (
      <p className="text-xs font-medium text-accent">
        {edit === null ? 'reset, not applied' : 'changed, not applied'}
      </p>
    );
  if (!isSet) return <p className="text-xs text-muted">default</p>;
  return (
    <p className="text-xs text-muted">
      <span className="font-medium text-accent">set on {owner}</span> · default{' '}
      {shownValue(definition, definition.default)}
    </p>
  );
}
