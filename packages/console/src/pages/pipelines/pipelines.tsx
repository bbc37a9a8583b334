import { PlusIcon } from '@primer/octicons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useAction } from '../../api/use-operation.ts';
import { counted } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { countColumn, textColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { FormDialog, textOf } from '../../ui/form.tsx';
import { ListTable, useListSearch } from '../../ui/list-page.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Secrets } from './secrets.tsx';
import {
  engineNoteOf,
  hasEngine,
  type Pipeline,
  PipelineState,
  typeNames,
  typesOfCluster,
} from './state.tsx';

const columnsOf = (clusterId: string): readonly Column<Pipeline>[] => [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(14rem, 2fr)',
    sortBy: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link
        to="/clusters/$clusterId/pipelines/$pipelineId"
        params={{ clusterId, pipelineId: id }}
        title={visibleText(name)}
        className="font-medium text-ink hover:underline"
      >
        <bdi>{visibleText(name)}</bdi>
      </Link>
    ),
  },
  textColumn('type', 'Type', 'minmax(12.5rem, 1fr)', ({ type }) => typeNames[type]),
  {
    id: 'state',
    title: 'State',
    width: 'minmax(10rem, 1fr)',
    sortBy: ({ state }) => state,
    cell: (pipeline) => <PipelineState pipeline={pipeline} />,
  },
  countColumn(
    'version',
    'Deployed version',
    'minmax(9rem, 1fr)',
    (one) => one.deployed_configuration_version,
    String,
  ),
  {
    id: 'engine',
    title: 'Engine',
    width: 'minmax(12rem, 1fr)',
    cell: (pipeline) => (hasEngine(pipeline) ? 'runs on agents' : 'none in this release'),
  },
];

export function Pipelines() {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  const { show } = useSearch({ from: '/frame/clusters/$clusterId/pipelines' });
  const { set } = useListSearch();
  const setCreating = (isCreating: boolean) => set({ show: isCreating ? 'create' : undefined });
  const engineNote = engineNoteOf(clusterId);
  const listed = useClusterOperation('list_pipelines', {}, { everyMs: 10_000 });
  return (
    <Page
      title="Pipelines"
      facts={listed.data && counted(listed.data.pipelines.length, 'pipeline')}
      actions={
        <ChangeButton kind="primary" icon={PlusIcon} onClick={() => setCreating(true)}>
          Create pipeline
        </ChangeButton>
      }
    >
      {engineNote !== '' && <p className="text-sm text-muted">{engineNote}</p>}
      <ListTable
        label="Pipelines"
        of={listed}
        what="list the pipelines"
        rowsOf={({ pipelines }) => pipelines}
        filter={{ label: 'Filter pipelines by name', noun: 'pipeline', textOf: ({ name }) => name }}
        columns={columnsOf(clusterId)}
        keyOf={({ id }) => id}
        sort="name"
        onOpen={({ id: pipelineId }) =>
          void navigate({
            to: '/clusters/$clusterId/pipelines/$pipelineId',
            params: { clusterId, pipelineId },
          })
        }
      >
        <Empty title="No pipelines yet">
          A pipeline has a configuration in YAML. Every version is kept, and one is deployed. Create a
          pipeline to get started.
        </Empty>
      </ListTable>
      <Secrets />
      <NewPipeline isOpen={show === 'create'} onClose={() => setCreating(false)} />
    </Page>
  );
}

interface NewPipelineProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function NewPipeline({ isOpen, onClose }: NewPipelineProps) {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  const create = useAction('create_pipeline');
  return (
    <FormDialog
      isOpen={isOpen}
      title="Create pipeline"
      description="A new pipeline is paused and has no configuration."
      action={create}
      onClose={onClose}
      onSubmit={(fields) =>
        create.mutate(
          {
            virtual_cluster_id: clusterId,
            pipeline_name: textOf(fields, 'name'),
            pipeline_type: textOf(fields, 'type') as Pipeline['type'],
          },
          {
            onSuccess: ({ pipeline_id }) =>
              void navigate({
                to: '/clusters/$clusterId/pipelines/$pipelineId',
                params: { clusterId, pipelineId: pipeline_id },
              }),
          },
        )
      }
    >
      <TextField label="Name" name="name" required maxLength={128}>
        Letters, digits, dots, underscores, hyphens and spaces.
      </TextField>
      <SelectField
        label="Type"
        name="type"
        options={typesOfCluster(clusterId).map((type) => [type, typeNames[type]] as const)}
      >
        {engineNoteOf(clusterId) || undefined}
      </SelectField>
    </FormDialog>
  );
}
