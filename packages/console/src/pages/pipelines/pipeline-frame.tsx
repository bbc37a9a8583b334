import { PauseIcon, PlayIcon, TrashIcon } from '@primer/octicons-react';
import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { pipelineEngineNote } from '@weir/api/pipeline-types';
import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { visibleText } from '../../format/visible-text.ts';
import { ChangeButton } from '../../session/change-button.tsx';
import { useButtonAction, useFormAction } from '../../ui/actions.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import { isMissing, Missing } from '../../ui/missing.tsx';
import { Page, Tabs } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { hasEngine, type Pipeline, PipelineState, runText, typeNames } from './state.tsx';

/** Which pipelines have a tab. */
type Of = 'migrations' | 'others' | 'all';

/** The tabs of a pipeline; some are of one type only. */
const tabs = [
  { label: 'Configuration', to: '/clusters/$clusterId/pipelines/$pipelineId', of: 'all' },
  { label: 'Preflight', to: '/clusters/$clusterId/pipelines/$pipelineId/preflight', of: 'migrations' },
  { label: 'Topics', to: '/clusters/$clusterId/pipelines/$pipelineId/topics', of: 'migrations' },
  { label: 'Cut-over', to: '/clusters/$clusterId/pipelines/$pipelineId/cut-over', of: 'migrations' },
  {
    label: 'Activity',
    to: '/clusters/$clusterId/pipelines/$pipelineId/activity',
    of: 'others',
  },
  { label: 'Versions', to: '/clusters/$clusterId/pipelines/$pipelineId/versions', of: 'all' },
  { label: 'Logs', to: '/clusters/$clusterId/pipelines/$pipelineId/logs', of: 'all' },
] as const satisfies readonly { label: string; to: string; of: Of }[];

/** The title, the state and the tabs of a pipeline. */
export function PipelineFrame() {
  const { clusterId, pipelineId } = useParams({ from: '/frame/clusters/$clusterId/pipelines/$pipelineId' });
  const target = { virtual_cluster_id: clusterId, pipeline_id: pipelineId };
  const described = useOperation('describe_pipeline', target, { everyMs: 5_000 });
  const pipeline = described.data?.pipeline_overview;
  const params = { clusterId, pipelineId };
  if (isMissing(described))
    return (
      <Missing
        title="Pipeline not found"
        name={pipelineId}
        links={[
          { label: 'Pipelines', link: { to: '/clusters/$clusterId/pipelines', params: { clusterId } } },
        ]}
      >
        It was deleted or never existed in this cluster.
      </Missing>
    );
  return (
    <Page
      title={pipeline === undefined ? 'Pipeline' : visibleText(pipeline.name)}
      facts={
        pipeline && (
          <span className="flex flex-wrap items-center gap-x-2">
            <PipelineState pipeline={pipeline} />·<span>{typeNames[pipeline.type]}</span>·
            <span>
              {pipeline.deployed_configuration_version === null
                ? 'nothing deployed'
                : `version ${pipeline.deployed_configuration_version} deployed`}
            </span>
            <CopyableId text={pipeline.id} what="the pipeline id" />
          </span>
        )
      }
      actions={pipeline && <Actions target={target} pipeline={pipeline} />}
    >
      {pipeline !== undefined && !hasEngine(pipeline) && (
        <p className="text-sm text-muted">{pipelineEngineNote}</p>
      )}
      {pipeline?.run !== undefined && pipeline.run.message !== '' && (
        <p className="text-sm break-words text-body">{runText(pipeline.run)}</p>
      )}
      <Tabs
        tabs={tabs
          .filter(({ of }) => of === 'all' || of === (pipeline?.type === 'orbit' ? 'migrations' : 'others'))
          .map(({ label, to }) => ({ label, link: { to, params } }))}
      />
      <Answer of={described} what="describe the pipeline">
        {() => <Outlet />}
      </Answer>
    </Page>
  );
}

interface ActionsProps {
  readonly target: { readonly virtual_cluster_id: string; readonly pipeline_id: string };
  readonly pipeline: Pipeline;
}

function Actions({ target, pipeline }: ActionsProps) {
  const navigate = useNavigate();
  const change = useButtonAction('change_pipeline_state');
  const clusterId = target.virtual_cluster_id;
  const remove = useFormAction(
    'delete_pipeline',
    () => void navigate({ to: '/clusters/$clusterId/pipelines', params: { clusterId } }),
  );
  const [isAsking, setAsking] = useState(false);
  const isRunning = pipeline.state === 'running';
  const name = visibleText(pipeline.name);
  return (
    <>
      {(isRunning || hasEngine(pipeline)) && (
        <Button
          icon={isRunning ? PauseIcon : PlayIcon}
          disabled={change.isPending || pipeline.deployed_configuration_id === null}
          onClick={() =>
            change.run(
              { ...target, desired_state: isRunning ? 'paused' : 'running' },
              isRunning ? `Paused ${name}` : `Started ${name}`,
            )
          }
        >
          {isRunning ? 'Pause' : 'Start'}
        </Button>
      )}
      <ChangeButton icon={TrashIcon} onClick={() => setAsking(true)}>
        Delete
      </ChangeButton>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete ${name}?`}
        button="Delete pipeline"
        nameToType={pipeline.name}
        action={remove}
        onConfirm={() => remove.run(target, `Deleted ${name}`)}
      >
        <p>
          This stops the pipeline and deletes all its configurations. It cannot be undone. Data that it wrote
          stays.
        </p>
      </ConfirmDialog>
    </>
  );
}
