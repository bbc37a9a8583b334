import { type CostListener, httpRequest, listed, nested, ownConnection, sendTo } from '../listener.ts';
import type { Addresses } from '../served-process.ts';

let clusterId = '';
/** The part of a search that says where to look. */
const everyEvent = '"event_types":["acl_logs"],"time_range":{"relative":"15m"}';

/** The id of the only cluster of a process. */
export async function clusterOf({ controlPlane, apiKey }: Addresses): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${controlPlane}/api/v1/list_virtual_clusters`, {
    method: 'POST',
    headers: { 'service-api-key': apiKey, 'content-type': 'application/json', ...ownConnection },
    body: '{}',
  });
  const text = await response.text();
  const id = /vci_\w+/.exec(text)?.[0];
  if (id === undefined) throw new Error(`there is no cluster: ${text.slice(0, 300)}`);
  return id;
}

/** The API of the control plane. */
export const apiListener: CostListener = {
  name: 'api',
  bytesMax: 2 << 20,
  portOf: ({ controlPlane }) => controlPlane,
  async prepare(addresses) {
    clusterId = await clusterOf(addresses);
    const call = (name: string, rest: string) =>
      sendTo(
        apiListener,
        addresses,
        httpRequest(`/api/v1/${name}`, `{"virtual_cluster_id":"${clusterId}",${rest}}`, {
          'service-api-key': addresses.apiKey,
        }),
      );
    await call('update_events_state', '"enabled":true');
    const answer = await call('search_events', `${everyEvent},"filter":""`);
    if (answer !== '200') throw new Error(`events cannot be searched: ${answer}`);
  },
  seeds({ apiKey }) {
    const request = (name: string, body: string) =>
      httpRequest(`/api/v1/${name}`, body, { 'service-api-key': apiKey });
    const inCluster = (name: string, rest: string) =>
      request(name, `{"virtual_cluster_id":"${clusterId}",${rest}}`);
    return [
      {
        name: 'body: distinct names',
        sizes: { names: 100, nameLength: 4 },
        build: ({ names, nameLength }) =>
          request(
            'list_topics',
            `{${listed(names!, (index) => `"${String(index).padStart(nameLength!, 'n')}":1`)}}`,
          ),
      },
      {
        name: 'body: nesting',
        sizes: { depth: 10 },
        build: ({ depth }) => request('list_topics', `{"a":${nested(depth!)}}`),
      },
      {
        name: 'check_schema_compatibility: JSON Schema',
        sizes: { properties: 50 },
        build: ({ properties }) =>
          inCluster(
            'check_schema_compatibility',
            `"subject":"s","schema_type":"JSON","schema":${JSON.stringify(`{"properties":{${listed(properties!, (index) => `"p${index}":{"minLength":1}`)}}}`)}`,
          ),
      },
      {
        name: 'check_schema_compatibility: Avro',
        sizes: { fields: 50 },
        build: ({ fields }) =>
          inCluster(
            'check_schema_compatibility',
            `"subject":"s","schema_type":"AVRO","schema":${JSON.stringify(`{"type":"record","name":"R","fields":[${listed(fields!, (index) => `{"name":"f${index}","type":"int"}`)}]}`)}`,
          ),
      },
      {
        name: 'search_events: a long filter',
        sizes: { conditions: 10, valueLength: 4 },
        build: ({ conditions, valueLength }) =>
          inCluster(
            'search_events',
            `${everyEvent},"filter":${JSON.stringify(Array.from({ length: conditions! }, (_, index) => `data.a${index} like "${'%a'.repeat(valueLength!)}"`).join(' or '))}`,
          ),
      },
      {
        name: 'pipelined requests',
        sizes: { requests: 10 },
        build: ({ requests }) =>
          Buffer.from(
            `${'GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(requests!)}GET /metrics HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
          ),
      },
    ];
  },
};
