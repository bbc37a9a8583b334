import type { OutputOf } from '@weir/api/client';
import { clusterKind } from '@weir/core';
import { useState } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { visibleText } from '../../format/visible-text.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { useMissingRight } from '../../session/rights.ts';
import { useButtonAction } from '../../ui/actions.ts';
import { CopyableId } from '../../ui/copy-button.tsx';
import { Card } from '../../ui/page.tsx';
import { Answer } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { AclState, AclSwitch } from '../access/acl-mode.tsx';
import { clusterTypeTitles } from '../clusters/cluster-types.ts';
import { DeleteCluster } from '../clusters/delete-cluster.tsx';
import { BucketDialog } from './general/bucket-dialog.tsx';
import { BucketStatus, type BucketStatusOfAgents } from './general/bucket-status.tsx';
import { RenameDialog } from './general/rename-dialog.tsx';
import { SettingRow } from './general/setting-row.tsx';
import { TagsDialog } from './general/tags-dialog.tsx';
import { TierDialog, tierHelp } from './general/tier-dialog.tsx';
import { SettingsFrame } from './settings-frame.tsx';

type Cluster = OutputOf<'describe_virtual_cluster'>['virtual_cluster'];
type Configuration = OutputOf<'describe_virtual_cluster_configuration'>['virtual_cluster_configuration'];
type Shown = 'name' | 'tags' | 'tier' | 'bucket' | 'delete';

/** What a cluster is called, where its files are, who may use it, and its end. */
export function General() {
  const clusterId = useClusterId();
  const input = { virtual_cluster_id: clusterId };
  const described = useOperation('describe_virtual_cluster', input);
  const configured = useOperation('describe_virtual_cluster_configuration', input);
  return (
    <SettingsFrame>
      <Answer of={described} what="describe the cluster">
        {({ virtual_cluster }) => (
          <Answer of={configured} what="describe the configuration of the cluster">
            {({ virtual_cluster_configuration, bucket_status }) => (
              <GeneralOf
                cluster={virtual_cluster}
                configuration={virtual_cluster_configuration}
                bucketStatus={bucket_status}
              />
            )}
          </Answer>
        )}
      </Answer>
    </SettingsFrame>
  );
}

interface GeneralProps {
  readonly cluster: Cluster;
  readonly configuration: Configuration;
  /** If the cluster names a bucket. */
  readonly bucketStatus: BucketStatusOfAgents | undefined;
}

function GeneralOf({ cluster, configuration, bucketStatus }: GeneralProps) {
  const clusterId = cluster.id;
  const kind = clusterKind(clusterId);
  const { data } = useClusterOperation('describe_virtual_cluster_tags', {});
  const mayNot = useMissingRight(clusterId) !== undefined;
  const [shown, setShown] = useState<Shown>();
  const close = () => setShown(undefined);
  const { enable_deletion_protection: isProtected, bucket_url: bucketUrl } = configuration;
  return (
    <>
      <Card title="Cluster">
        <dl className="divide-y divide-line">
          <SettingRow name="Name" button="Rename" isDisabled={mayNot} onChange={() => setShown('name')}>
            <span className="font-medium">{clusterLabel(cluster)}</span>{' '}
            <span className="font-mono text-xs text-muted">{cluster.name}</span>
          </SettingRow>
          <SettingRow
            name="Tags"
            button="Edit tags"
            isDisabled={mayNot || data === undefined}
            onChange={() => setShown('tags')}
          >
            <Tags tags={data?.tags} />
          </SettingRow>
          <SettingRow
            name="Tier"
            help={tierHelp}
            button="Change tier"
            isDisabled={mayNot}
            onChange={() => setShown('tier')}
          >
            {cluster.tier}
          </SettingRow>
          <Facts cluster={cluster} />
        </dl>
      </Card>
      {kind === 'kafka' && (
        <Card title="Storage">
          <dl className="divide-y divide-line">
            <SettingRow
              name="Bucket"
              help={
                bucketUrl === null
                  ? 'Set by the -bucketURL flag of the agents.'
                  : 'New files go here. Older files stay in the bucket they were written to.'
              }
              button="Change bucket"
              isDisabled={mayNot}
              onChange={() => setShown('bucket')}
            >
              {bucketUrl === null ? (
                'Bucket set by the agents'
              ) : (
                <span className="font-mono text-xs break-all">{bucketUrl}</span>
              )}
              {bucketStatus !== undefined && <BucketStatus status={bucketStatus} />}
            </SettingRow>
          </dl>
        </Card>
      )}
      {kind !== 'data lake' && (
        <Card title="Access">
          <dl>
            <SettingRow
              name="ACLs"
              help={
                <>
                  Manage and test rules on the page{' '}
                  <TextLink to="/clusters/$clusterId/acls" params={{ clusterId }}>
                    Access
                  </TextLink>
                  .
                </>
              }
              action={<AclSwitch isDisabled={mayNot} />}
            >
              <AclState />
            </SettingRow>
          </dl>
        </Card>
      )}
      <Card title="Danger zone">
        <dl className="divide-y divide-line">
          <Protection isProtected={isProtected} isDisabled={mayNot} />
          <SettingRow
            name="Delete"
            help={
              isProtected
                ? 'The cluster is protected: turn off deletion protection first.'
                : 'The control plane refuses its agents at once. You can restore the cluster for a while.'
            }
            button="Delete cluster"
            buttonKind="danger"
            isDisabled={mayNot || isProtected}
            onChange={() => setShown('delete')}
          >
            Delete {clusterLabel(cluster)} with all its data
          </SettingRow>
        </dl>
      </Card>
      {/* Messages at the edge of the page do not cover the last button. */}
      <div className="h-20" />
      {shown === 'name' && <RenameDialog name={cluster.name} onClose={close} />}
      {shown === 'tags' && <TagsDialog tags={data?.tags ?? {}} onClose={close} />}
      {shown === 'tier' && <TierDialog tier={cluster.tier} onClose={close} />}
      {shown === 'bucket' && <BucketDialog bucketUrl={bucketUrl} onClose={close} />}
      {shown === 'delete' && <DeleteCluster cluster={cluster} onClose={close} />}
    </>
  );
}

function Facts({ cluster }: { readonly cluster: Cluster }) {
  const { data: context } = useContextOfCaller();
  const workspace = context?.workspaces.find(({ id }) => id === cluster.workspace_id);
  const { region, region_group: group } = cluster.cluster_region;
  return (
    <>
      <SettingRow name="Id">
        <CopyableId text={cluster.id} what="the cluster id" />
      </SettingRow>
      <SettingRow name="Type">{clusterTypeTitles[cluster.type]}</SettingRow>
      <SettingRow name="Workspace">{workspace?.name ?? cluster.workspace_id}</SettingRow>
      <SettingRow name="Region">
        {cluster.cloud_provider} {region?.name ?? group?.name ?? ''}
      </SettingRow>
      <SettingRow name="Created">
        <Time of={cluster.created_at} />
      </SettingRow>
    </>
  );
}

function Tags({ tags }: { readonly tags: Readonly<Record<string, string>> | undefined }) {
  if (tags === undefined) return '…';
  const all = Object.entries(tags);
  if (all.length === 0) return <span className="text-muted">none</span>;
  return (
    <ul className="flex flex-wrap gap-1.5">
      {all.map(([name, value]) => (
        <li
          key={name}
          className="max-w-full rounded-md border border-line bg-hover px-1.5 py-0.5 text-xs break-all"
        >
          <bdi>{visibleText(name)}</bdi>
          {value !== '' && (
            <>
              <span className="text-muted">: </span>
              <bdi>{visibleText(value)}</bdi>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

interface ProtectionProps {
  readonly isProtected: boolean;
  readonly isDisabled: boolean;
}

function Protection({ isProtected, isDisabled }: ProtectionProps) {
  const clusterId = useClusterId();
  const update = useButtonAction('update_virtual_cluster_configuration');
  const set = (isOn: boolean) =>
    update.run(
      {
        virtual_cluster_id: clusterId,
        virtual_cluster_configuration: { enable_deletion_protection: isOn },
      },
      `Turned ${isOn ? 'on' : 'off'} deletion protection`,
    );
  return (
    <SettingRow
      name="Deletion protection"
      help="While on, the console, the API and the command line refuse to delete the cluster."
      button={isProtected ? 'Turn protection off' : 'Turn protection on'}
      isDisabled={isDisabled || update.isPending}
      onChange={() => set(!isProtected)}
    >
      <Status kind={isProtected ? 'ok' : 'muted'}>{isProtected ? 'on' : 'off'}</Status>
    </SettingRow>
  );
}
