import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useOperation } from '../../api/use-operation.ts';
import { useFormAction } from '../../ui/actions.ts';
import { Button } from '../../ui/button.tsx';
import { TextDiff } from '../../ui/editor/text-diff.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer, Empty, Failure } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { asYaml } from './editor.tsx';

const path = '/frame/clusters/$clusterId/pipelines/$pipelineId/versions';

/** Every configuration that is kept. An older one is deployed again to go back. */
export function PipelineVersions() {
  const { clusterId, pipelineId } = useParams({ from: path });
  const target = { virtual_cluster_id: clusterId, pipeline_id: pipelineId };
  const described = useOperation('describe_pipeline', target);
  return (
    <Answer of={described} what="describe the pipeline">
      {(now) =>
        now.pipeline_configurations.length === 0 ? (
          <Card>
            <Empty title="No versions yet">
              Each deployed configuration is kept as a version. Deploy one in the editor.
            </Empty>
          </Card>
        ) : (
          <Versions target={target} described={now} />
        )
      }
    </Answer>
  );
}

interface VersionsProps {
  readonly target: { readonly virtual_cluster_id: string; readonly pipeline_id: string };
  readonly described: OutputOf<'describe_pipeline'>;
}

function Versions({ target, described }: VersionsProps) {
  const search = useSearch({ from: path });
  const navigate = useNavigate({ from: '/clusters/$clusterId/pipelines/$pipelineId/versions' });
  const change = useFormAction('change_pipeline_state');
  const { pipeline_overview: pipeline, pipeline_configurations: all } = described;
  const deployed = all.find(({ id }) => id === pipeline.deployed_configuration_id);
  const chosen = all.find(({ version }) => version === search.version) ?? all.at(-1)!;
  const isDeployed = chosen.id === deployed?.id;
  return (
    <div className="grid items-start gap-4 md:grid-cols-[16rem_minmax(0,1fr)]">
      <Card title="Versions">
        <ul className="max-h-96 overflow-y-auto py-1">
          {all.toReversed().map(({ id, version, created_at }) => (
            <li key={id}>
              <button
                type="button"
                aria-pressed={id === chosen.id}
                onClick={() => void navigate({ search: { version }, replace: true })}
                className="flex min-h-8 w-full flex-wrap items-center gap-x-2 px-4 py-1 text-left text-sm text-ink hover:bg-hover aria-pressed:bg-accent-soft"
              >
                <span className="font-medium">Version {version}</span>
                {id === deployed?.id && <Status kind="ok">deployed</Status>}
                <span className="text-xs text-body">
                  <Time of={created_at} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      </Card>
      <div className="flex min-w-0 flex-col gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <h2 className="text-base font-medium text-ink">
            {isDeployed || deployed === undefined
              ? `Version ${chosen.version}`
              : `Version ${deployed.version} (deployed) compared with version ${chosen.version}`}
          </h2>
          <div className="flex-1" />
          {!isDeployed && (
            <Button
              disabled={change.isPending}
              onClick={() =>
                change.run(
                  { ...target, deployed_configuration_id: chosen.id },
                  `Deployed version ${chosen.version}`,
                )
              }
            >
              Deploy version {chosen.version}
            </Button>
          )}
        </div>
        {change.error !== null && <Failure what="deploy the version" error={change.error} />}
        <TextDiff
          label={`Configuration of version ${chosen.version}`}
          before={
            isDeployed || deployed === undefined ? chosen.configuration_yaml : deployed.configuration_yaml
          }
          after={chosen.configuration_yaml}
          extensions={asYaml}
        />
      </div>
    </div>
  );
}
