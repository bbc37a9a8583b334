import { clusterKind } from '@weir/core';
import type { ReactNode } from 'react';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { useMissingRight } from '../../session/rights.ts';
import { Page, Tabs } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';

const tabs = [
  { label: 'General', to: '/clusters/$clusterId/settings', isForKafkaAlone: false },
  { label: 'Configuration', to: '/clusters/$clusterId/settings/configs', isForKafkaAlone: true },
  { label: 'Events', to: '/clusters/$clusterId/settings/events', isForKafkaAlone: false },
  { label: 'Client metrics', to: '/clusters/$clusterId/settings/client-metrics', isForKafkaAlone: true },
] as const;

interface SettingsFrameProps {
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The tabs that a cluster of its kind has, and what a person lacks who may only read them. */
export function SettingsFrame({ actions, children }: SettingsFrameProps) {
  const clusterId = useClusterId();
  const params = { clusterId };
  const { data } = useClusterOperation('describe_virtual_cluster', {});
  const missing = useMissingRight(clusterId);
  const kind = clusterKind(clusterId);
  return (
    <Page
      title="Settings"
      facts={data === undefined ? '…' : `of cluster ${clusterLabel(data.virtual_cluster)}`}
      actions={actions}
    >
      <Tabs
        tabs={tabs
          .filter(({ isForKafkaAlone }) => !isForKafkaAlone || kind === 'kafka')
          .map(({ label, to }) => ({ label, link: { to, params } }))}
      />
      {missing !== undefined && (
        <p>
          <Status kind="info" isBadge wraps>
            You may read these settings. To change them: {missing}.
          </Status>
        </p>
      )}
      {children}
    </Page>
  );
}
