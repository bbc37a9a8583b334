import { useParams } from '@tanstack/react-router';
import { configProblem } from '@weir/api/topic-rules';
import { useMemo, useState } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { cutText, visibleText } from '../../../format/visible-text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Card } from '../../../ui/page.tsx';
import { ConfigControl, type ConfigDefinition } from '../config-control.tsx';
import { useTopic } from '../use-topic.ts';
import { ReviewConfigs } from './review-configs.tsx';

interface ConfigRow {
  readonly definition: ConfigDefinition;
  readonly value: string;
  readonly isSet: boolean;
  /** What it is to become: `null` for the default. */
  readonly edit: string | null | undefined;
}

const shownChars = 200;
const shown = (text: string) => cutText(visibleText(text), shownChars);

const columns: readonly Column<ConfigRow>[] = [
  {
    id: 'name',
    title: 'Config',
    width: 'minmax(20rem, 1fr)',
    cell: ({ definition }) => (
      <span title={definition.name} className="font-mono text-xs">
        {definition.name}
      </span>
    ),
  },
  {
    id: 'value',
    title: 'Value',
    width: 'minmax(12rem, 1fr)',
    cell: ({ value, edit, definition }) => (
      <bdi className="font-mono text-xs" title={shown(value)}>
        {edit === undefined ? (
          shown(value)
        ) : (
          <>
            <del className="text-muted">{shown(value)}</del> {shown(edit ?? definition.default ?? '')}
          </>
        )}
      </bdi>
    ),
  },
  {
    id: 'source',
    title: 'Source',
    width: '8rem',
    cell: ({ isSet, edit }) =>
      edit !== undefined ? (
        <span className="font-medium text-info">{edit === null ? 'reset' : 'changed'}</span>
      ) : isSet ? (
        <span className="font-medium text-ink">this topic</span>
      ) : (
        <span className="text-muted">default</span>
      ),
  },
  {
    id: 'doc',
    title: 'What it does',
    width: 'minmax(20rem, 2fr)',
    cell: ({ definition }) => (
      <span title={definition.documentation} className="text-muted">
        {definition.documentation}
      </span>
    ),
  },
];

const keyOf = ({ definition }: ConfigRow) => definition.name;

export function Configs() {
  const { clusterId, topic } = useParams({ from: '/frame/clusters/$clusterId/topics/$topic/configs' });
  const described = useTopic(clusterId, topic);
  const defined = useOperation('list_topic_config_definitions', { virtual_cluster_id: clusterId });
  const [edits, setEdits] = useState<Readonly<Record<string, string | null>>>({});
  const [editing, setEditing] = useState<string | undefined>();
  const [isReviewed, setReviewed] = useState(false);
  const { data } = described;
  const rows = useMemo(() => {
    const set = new Set(data?.set_configs);
    const all = (defined.data?.definitions ?? []).map(
      (definition): ConfigRow => ({
        definition,
        value: data?.configs[definition.name] ?? '',
        isSet: set.has(definition.name),
        edit: edits[definition.name],
      }),
    );
    return all.toSorted((a, b) => Number(b.isSet) - Number(a.isSet));
  }, [data, defined.data, edits]);
  const row = rows.find(({ definition }) => definition.name === editing);
  const count = Object.keys(edits).length;
  const forget = () => setEdits({});
  return (
    <Card
      title={`${rows.filter(({ isSet }) => isSet).length} set on this topic`}
      actions={
        count > 0 && (
          <>
            <Button onClick={forget}>Discard</Button>
            <Button kind="primary" onClick={() => setReviewed(true)}>
              Review {count === 1 ? '1 change' : `${count} changes`}
            </Button>
          </>
        )
      }
    >
      <Answer of={defined} what="list the configs of topics">
        {() => (
          <DataTable
            label="Configs"
            columns={columns}
            rows={rows}
            keyOf={keyOf}
            onOpen={({ definition }) => setEditing(definition.name)}
          />
        )}
      </Answer>
      {row !== undefined && (
        <EditConfig
          key={row.definition.name}
          row={row}
          onClose={() => setEditing(undefined)}
          onEdit={(value) =>
            setEdits(({ [row.definition.name]: _, ...others }) => {
              const isSame = value === (row.isSet ? row.value : null);
              return isSame ? others : { ...others, [row.definition.name]: value };
            })
          }
        />
      )}
      {isReviewed && (
        <ReviewConfigs
          clusterId={clusterId}
          topic={topic}
          changes={rows.flatMap(({ definition, value, edit }) =>
            edit === undefined
              ? []
              : [{ name: definition.name, before: value, after: edit, usual: definition.default ?? '' }],
          )}
          onClose={() => setReviewed(false)}
          onDone={forget}
        />
      )}
    </Card>
  );
}

interface EditConfigProps {
  readonly row: ConfigRow;
  readonly onClose: () => void;
  readonly onEdit: (value: string | null) => void;
}

/** Changes one config. Nothing is sent before the changes are reviewed. */
function EditConfig({ row: { definition, value, isSet, edit }, onClose, onEdit }: EditConfigProps) {
  const [typed, setTyped] = useState(edit ?? value);
  const choose = (next: string | null) => {
    onEdit(next);
    onClose();
  };
  return (
    <Dialog isOpen onClose={onClose} title={definition.name}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (configProblem(definition, typed) === undefined) choose(typed);
        }}
      >
        <ConfigControl definition={definition} value={typed} onChange={setTyped} />
        <div className="flex justify-end gap-2">
          {(isSet || (edit !== undefined && edit !== null)) && (
            <Button onClick={() => choose(null)}>Reset to default</Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={configProblem(definition, typed) !== undefined}>
            Keep
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
