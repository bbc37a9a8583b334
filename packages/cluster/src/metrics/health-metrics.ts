import { published } from './published-metric.ts';

export const diagnosticFailure = published(
  'diagnostic_failure',
  [
    'diagnostic_name',
    'diagnostic_type',
    'severity_low',
    'severity_medium',
    'severity_high',
    'severity_critical',
    'muted',
  ],
  'max',
  'Whether a diagnostic fails: 1 with the label of its severity true, or 0.',
);

export const controlPlaneUtilization = published(
  'control_plane_utilization',
  ['cluster'],
  'max',
  'Share of time that the cluster leader is busy, 0 to 1. Near 1, calls queue.',
);

export const healthMetrics = [diagnosticFailure, controlPlaneUtilization];
