import { durationBucketsSeconds, type MetricRow } from '@weir/core';

export const mcpRequestsRow: MetricRow<'endpoint' | 'status'> = {
  name: 'mcp_requests_total',
  kind: 'counter',
  help: 'Requests of the Model Context Protocol by endpoint and HTTP status.',
  labels: ['endpoint', 'status'],
};

export const mcpToolCallsRow: MetricRow<'tool' | 'result'> = {
  name: 'mcp_tool_calls_total',
  kind: 'counter',
  help: 'Calls of tools by outcome: ok, or the code of the error.',
  labels: ['tool', 'result'],
};

export const mcpToolSecondsRow: MetricRow<'tool'> = {
  name: 'mcp_tool_call_seconds',
  kind: 'histogram',
  help: 'How long calls of tools took.',
  labels: ['tool'],
  buckets: durationBucketsSeconds,
};
