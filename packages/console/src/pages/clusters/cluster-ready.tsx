import { Link } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { clusterKind } from '@weir/core';
import { clusterLabel } from '../../format/cluster-label.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Command, Failure } from '../../ui/states.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { WaysToConnect } from '../access/connect/ways-to-connect.tsx';
import { agentCommand } from './agent-command.ts';

interface Login {
  readonly username: string;
  readonly password: string;
}

interface ClusterReadyProps {
  readonly cluster: OutputOf<'create_virtual_cluster'>;
  readonly login?: Login;
  /** Why there is no login although one was wanted. */
  readonly loginError?: unknown;
  readonly onClose: () => void;
}

/** A new cluster: how to start its first agent, and how its first client connects. */
export function ClusterReady({ cluster, login, loginError, onClose }: ClusterReadyProps) {
  const { virtual_cluster_id: clusterId, virtual_cluster_name: name, agent_key: agentKey } = cluster;
  const label = clusterLabel({ name });
  const kind = clusterKind(clusterId);
  return (
    <Dialog
      isOpen
      isSheet
      onClose={onClose}
      title={`Cluster ${label} created`}
      description={whatAgentsDo[kind]}
    >
      <div className="flex flex-col gap-5">
        {agentKey !== undefined && (
          <section aria-label="Start an agent" className="flex flex-col gap-2">
            <h3 className="text-base font-semibold text-ink">1. Start an agent</h3>
            <Secret label={`Agent key ${agentKey.name}`} text={agentKey.key} />
            <Command
              text={agentCommand({ controlPlane: location.origin, clusterId, agentKey: agentKey.key })}
            />
          </section>
        )}
        <section aria-label={nextSteps[kind]} className="flex flex-col gap-2">
          <h3 className="text-base font-semibold text-ink">2. {nextSteps[kind]}</h3>
          {loginError !== undefined && <Failure what="create the credential" error={loginError} />}
          {login !== undefined && kind === 'kafka' ? (
            <>
              <Secret label={`Password of ${login.username}`} text={login.password} />
              <WaysToConnect clusterId={clusterId} {...login} />
            </>
          ) : (
            <p className="text-sm text-body">{howToGoOn[kind]}</p>
          )}
          {kind === 'data lake' && (
            <p className="text-sm">
              <TextLink
                to="/clusters/$clusterId/pipelines"
                params={{ clusterId }}
                search={{ show: 'create' }}
              >
                Create a pipeline
              </TextLink>
            </p>
          )}
        </section>
        <div className="flex justify-end">
          <Link
            to="/clusters/$clusterId"
            params={{ clusterId }}
            className="inline-flex h-8 items-center rounded-md bg-accent px-3 text-sm font-medium text-on-accent hover:bg-accent-strong"
          >
            Open {label}
          </Link>
        </div>
      </div>
    </Dialog>
  );
}

const whatAgentsDo = {
  kafka: 'Start an agent: it serves the clients of the cluster and stores its data in your bucket.',
  'schema registry': 'Start an agent: it serves the clients of the registry.',
  'data lake': 'Start an agent: it reads topics and writes tables to your bucket.',
} as const;

const nextSteps = {
  kafka: 'Connect',
  'schema registry': 'Connect',
  'data lake': 'Create a pipeline',
} as const;

const howToGoOn = {
  kafka: 'Create a credential for each client on the Access page of the cluster; it shows how to connect.',
  'schema registry':
    'Clients reach it on the -schemaRegistryPort of its agents, 9094 by default: http://AGENT_HOST:9094. Create credentials on the Access page.',
  'data lake':
    'A pipeline says which topics become tables, and its editor has a template to begin with. The page of a table shows how Spark, Trino, DuckDB and pyiceberg read it.',
} as const;
