import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { configProblem } from '@weir/api/topic-rules';
import { useMemo, useState } from 'react';
import { call } from '../../../api/client.ts';
import { useAction, useOperation } from '../../../api/use-operation.ts';
import { cutText, visibleText } from '../../../format/visible-text.ts';
import { useMissingRight } from '../../../session/rights.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FilterBox, matching } from '../../../ui/list-page.tsx';
import { Card } from '../../../ui/page.tsx';
import { Empty, Failure } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { say } from '../../../ui/toasts.tsx';
import { ConfigControl } from '../../topics/config-control.tsx';
import { ReviewChanges } from '../review-changes.tsx';
import { SettingsFrame } from '../settings-frame.tsx';

type Definition = OutputOf<'list_cluster_config_definitions'>['definitions'][number];

interface ConfigRow {
  readonly definition: Definition;
  /** What it is to become: `null` for the default. */
  readonly edit: string | null | undefined;
}

const decidedByAgents = 'agents decide';
const shown = (text: string | null) =>
  text === null ? decidedByAgents : text === '' ? 'empty' : cutText(visibleText(text), 200);
const after = ({ definition, edit }: ConfigRow) =>
  edit === undefined ? definition.value : (edit ?? definition.default);

const columns: readonly Column<ConfigRow>[] = [
  {
    id: 'name',
    title: 'Config',
    width: 'minmax(16rem, 1.2fr)',
    sortBy: ({ definition }) => definition.name,
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
    cell: (row) => (
      <bdi className="font-mono text-xs" title={shown(row.definition.value)}>
        {row.edit === undefined ? (
          shown(row.definition.value)
        ) : (
          <>
            <del className="text-muted">{shown(row.definition.value)}</del> {shown(after(row))}
          </>
        )}
      </bdi>
    ),
  },
  {
    id: 'source',
    title: 'Source',
    width: '8rem',
    sortBy: ({ definition, edit }) => (edit === undefined ? (definition.is_set ? 1 : 2) : 0),
    cell: ({ definition, edit }) =>
      edit !== undefined ? (
        <span className="font-medium text-accent">changed</span>
      ) : definition.is_set ? (
        <span className="font-medium text-ink">this cluster</span>
      ) : (
        <span className="text-muted">default</span>
      ),
  },
  {
    id: 'doc',
    title: 'What it does',
    width: 'minmax(16rem, 2fr)',
    cell: ({ definition }) => (
      <span title={definition.documentation} className="text-muted">
        {definition.documentation}
      </span>
    ),
  },
];

const keyOf = ({ definition }: ConfigRow) => definition.name;

/** The configs of a cluster. They are changed one by one, reviewed together, and only what changed is sent. */
export function Configs() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/settings/configs' });
  const search = useSearch({ from: '/frame/clusters/$clusterId/settings/configs' });
  const navigate = useNavigate({ from: '/clusters/$clusterId/settings/configs' });
  const defined = useOperation('list_cluster_config_definitions', { virtual_cluster_id: clusterId });
  const mayNot = useMissingRight(clusterId) !== undefined;
  const [edits, setEdits] = useState<Readonly<Record<string, string | null>>>({});
  const [editing, setEditing] = useState<string>();
  const [isReviewed, setReviewed] = useState(false);
  const rows = useMemo(
    () =>
      (defined.data?.definitions ?? []).map(
        (definition): ConfigRow => ({ definition, edit: edits[definition.name] }),
      ),
    [defined.data, edits],
  );
  const listed = matching(
    rows.filter(
      ({ definition, edit }) =>
        search.show === 'all' || definition.has_effect || definition.is_set || edit !== undefined,
    ),
    keyOf,
    search.q,
  );
  const row = rows.find(({ definition }) => definition.name === editing);
  const count = Object.keys(edits).length;
  return (
    <SettingsFrame
      clusterId={clusterId}
      actions={
        count > 0 && (
          <>
            <Button onClick={() => setEdits({})}>Discard</Button>
            <Button kind="primary" onClick={() => setReviewed(true)}>
              Review {count === 1 ? '1 change' : `${count} changes`}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <FilterBox
          label="Filter configs"
          value={search.q ?? ''}
          onChange={(q) => void navigate({ search: (now) => ({ ...now, q: q || undefined }), replace: true })}
        />
        <Checkbox
          label="Also configs of Kafka that have no effect here"
          checked={search.show === 'all'}
          onChange={(event) =>
            void navigate({
              search: (now) => ({ ...now, show: event.target.checked ? 'all' : undefined }),
              replace: true,
            })
          }
        />
      </div>
      <Card title={`${rows.filter(({ definition }) => definition.is_set).length} set on this cluster`}>
        <Answer of={defined} what="list the configs of the cluster">
          {() =>
            listed.length === 0 ? (
              <Empty title="No config has this name">Change or clear the filter.</Empty>
            ) : (
              <DataTable
                label="Configs"
                columns={columns}
                rows={listed}
                keyOf={keyOf}
                sort={search.sort ?? 'name'}
                onSort={(sort) => void navigate({ search: (now) => ({ ...now, sort }), replace: true })}
                onOpen={({ definition }) => setEditing(definition.name)}
              />
            )
          }
        </Answer>
      </Card>
      {row !== undefined && (
        <EditConfig
          key={row.definition.name}
          row={row}
          mayNot={mayNot}
          onClose={() => setEditing(undefined)}
          onEdit={(value) =>
            setEdits(({ [row.definition.name]: _, ...others }) =>
              isSame(row.definition, value) ? others : { ...others, [row.definition.name]: value },
            )
          }
        />
      )}
      {isReviewed && (
        <ReviewConfigs
          clusterId={clusterId}
          rows={rows.filter(({ edit }) => edit !== undefined)}
          onClose={() => setReviewed(false)}
          onDone={() => setEdits({})}
        />
      )}
    </SettingsFrame>
  );
}

function isSame({ is_set, value }: Definition, edit: string | null): boolean {
  return edit === null ? !is_set : edit === value;
}

interface EditConfigProps {
  readonly row: ConfigRow;
  readonly mayNot: boolean;
  readonly onClose: () => void;
  readonly onEdit: (value: string | null) => void;
}

/** Changes one config. Nothing is sent before the changes are reviewed. */
function EditConfig({ row: { definition, edit }, mayNot, onClose, onEdit }: EditConfigProps) {
  const [typed, setTyped] = useState(edit ?? definition.value ?? '');
  const problem = configProblem(definition, typed);
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
          if (problem === undefined && !mayNot) choose(typed.trim());
        }}
      >
        <ConfigControl definition={definition} value={typed} onChange={setTyped} />
        <div className="flex justify-end gap-2">
          {(definition.is_set || typeof edit === 'string') && (
            <Button disabled={mayNot} onClick={() => choose(null)}>
              Reset to default
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={problem !== undefined || mayNot}>
            Keep
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ReviewProps {
  readonly clusterId: string;
  readonly rows: readonly ConfigRow[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Lets the service check the changes without making them, and then makes them. */
function ReviewConfigs({ clusterId, rows, onClose, onDone }: ReviewProps) {
  const update = useAction('update_virtual_cluster_configuration');
  const set = rows.flatMap(({ definition, edit }) =>
    typeof edit === 'string' ? [[definition.name, edit] as const] : [],
  );
  const reset = rows.filter(({ edit }) => edit === null).map(keyOf);
  const input = {
    virtual_cluster_id: clusterId,
    virtual_cluster_configuration: {
      ...(set.length === 0 ? {} : { broker_configs: Object.fromEntries(set) }),
      ...(reset.length === 0 ? {} : { reset_broker_configs: reset }),
    },
  };
  const check = useQuery({
    queryKey: ['check update_virtual_cluster_configuration', input],
    queryFn: () => call('update_virtual_cluster_configuration', { ...input, validate_only: true }),
    retry: false,
    staleTime: 0,
  });
  return (
    <ReviewChanges
      title="Change the configuration"
      what="change the configuration"
      changes={rows.map((row) => ({
        name: row.definition.name,
        before: shown(row.definition.value),
        after: row.edit === null ? `${shown(after(row))} (default)` : shown(after(row)),
      }))}
      action={{ isPending: update.isPending || !check.isSuccess, error: update.error }}
      onClose={onClose}
      onApply={() =>
        update.mutate(input, {
          onSuccess: () => {
            say('Changed the configuration');
            onDone();
            onClose();
          },
        })
      }
    >
      {check.isError ? (
        <Failure what="check the change" error={check.error} />
      ) : (
        <Status kind={check.isSuccess ? 'ok' : 'muted'}>
          {check.isSuccess ? 'The cluster accepts it' : 'Checking …'}
        </Status>
      )}
    </ReviewChanges>
  );
}
