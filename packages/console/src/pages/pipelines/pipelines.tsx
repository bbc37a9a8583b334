import { PlusIcon } from '@primer/octicons-react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { pipelineEngineNote, pipelineTypes } from '@weir/api/pipeline-types';
import { useState } from 'react';
import { useAction, useOperation } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextControl } from '../../ui/field.tsx';
import { Form, textOf } from '../../ui/form.tsx';
import { FilterBox, matching } from '../../ui/list-page.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Empty } from '../../ui/states.tsx';
import { Secrets } from './secrets.tsx';
import { hasEngine, type Pipeline, PipelineState, typeNames } from './state.tsx';

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
  {
    id: 'type',
    title: 'Type',
    width: 'minmax(12.5rem, 1fr)',
    sortBy: ({ type }) => typeNames[type],
    cell: ({ type }) => typeNames[type],
  },
  {
    id: 'state',
    title: 'State',
    width: 'minmax(10rem, 1fr)',
    sortBy: ({ state }) => state,
    cell: (pipeline) => <PipelineState pipeline={pipeline} />,
  },
  {
    id: 'version',
    title: 'Deployed version',
    width: 'minmax(9rem, 1fr)',
    isNumber: true,
    sortBy: ({ deployed_configuration_version }) => deployed_configuration_version ?? 0,
    cell: ({ deployed_configuration_version }) => deployed_configuration_version ?? '–',
  },
  {
    id: 'engine',
    title: 'Engine',
    width: 'minmax(12rem, 1fr)',
    cell: (pipeline) => (hasEngine(pipeline) ? 'runs on agents' : 'none in this release'),
  },
];

const path = '/frame/clusters/$clusterId/pipelines';

export function Pipelines() {
  const { clusterId } = useParams({ from: path });
  const search = useSearch({ from: path });
  const navigate = useNavigate({ from: '/clusters/$clusterId/pipelines' });
  const [isCreating, setCreating] = useState(false);
  const listed = useOperation('list_pipelines', { virtual_cluster_id: clusterId }, { everyMs: 10_000 });
  const all = listed.data?.pipelines;
  const shown = all && matching(all, ({ name }) => name, search.q);
  return (
    <Page
      title="Pipelines"
      facts={all && (all.length === 1 ? '1 pipeline' : `${all.length} pipelines`)}
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          <PlusIcon aria-hidden="true" /> Create pipeline
        </Button>
      }
    >
      {pipelineEngineNote !== '' && <p className="text-sm text-muted">{pipelineEngineNote}</p>}
      <FilterBox
        label="Filter pipelines by name"
        value={search.q ?? ''}
        onChange={(q) =>
          void navigate({ search: (now) => ({ ...now, q: q === '' ? undefined : q }), replace: true })
        }
      />
      <Card>
        <Answer of={listed} what="list the pipelines">
          {() =>
            all!.length === 0 ? (
              <Empty title="No pipelines yet">
                A pipeline has a configuration in YAML. Every version is kept, and one is deployed. Create a
                pipeline to begin.
              </Empty>
            ) : shown!.length === 0 ? (
              <Empty title="No pipeline matches the filter">Change the filter above to see more.</Empty>
            ) : (
              <DataTable
                label="Pipelines"
                columns={columnsOf(clusterId)}
                rows={shown!}
                keyOf={({ id }) => id}
                sort={search.sort ?? 'name'}
                onSort={(sort) => void navigate({ search: (now) => ({ ...now, sort }), replace: true })}
                onOpen={({ id }) =>
                  void navigate({
                    to: '/clusters/$clusterId/pipelines/$pipelineId',
                    params: { clusterId, pipelineId: id },
                    search: {},
                  })
                }
              />
            )
          }
        </Answer>
      </Card>
      <Secrets clusterId={clusterId} />
      <NewPipeline clusterId={clusterId} isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

interface NewPipelineProps {
  readonly clusterId: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function NewPipeline({ clusterId, isOpen, onClose }: NewPipelineProps) {
  const navigate = useNavigate();
  const create = useAction('create_pipeline');
  const context = useContextOfCaller();
  const cluster = context.data?.workspaces
    .flatMap(({ virtual_clusters }) => virtual_clusters)
    .find(({ id }) => id === clusterId);
  const types = (Object.keys(pipelineTypes) as Pipeline['type'][]).filter(
    (type) => cluster === undefined || pipelineTypes[type].clusterType === cluster.type,
  );
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Create pipeline"
      description="A new pipeline is paused and has no configuration."
    >
      <Form
        what="create the pipeline"
        button="Create pipeline"
        action={create}
        onCancel={onClose}
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
        <Field label="Name" name="name" help="Letters, digits, dots, underscores, hyphens and spaces.">
          <TextControl required maxLength={128} />
        </Field>
        <Field label="Type" name="type" help={pipelineEngineNote}>
          <Select
            aria-label="Type"
            name="type"
            options={types.map((type) => [type, typeNames[type]] as const)}
          />
        </Field>
      </Form>
    </Dialog>
  );
}
