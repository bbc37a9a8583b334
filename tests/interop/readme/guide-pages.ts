import { createServer } from 'node:net';
import type { PageRun, Replaced, Shown } from './page-run.ts';

/** Pages whose commands guide-pages.test.ts types into a terminal, in an empty folder with `bin/weir`. */

interface GuidePage {
  readonly expected: readonly Shown[];
  readonly replaced?: readonly Replaced[];
  /** What a reader has done before a command, by a part of the command. */
  readonly prepared?: Readonly<Record<string, (run: PageRun) => Promise<unknown>>>;
  readonly hasOneServerAtATime?: boolean;
}

/** Enough that the command succeeds. */
const anything = /(?:)/;
const serving = 'Ctrl-C stops it.';

const startLocal = (run: PageRun) => run.start('bin/weir local', serving);

/** With an event, as of what ACLs would deny. */
const startWithEvents = async (run: PageRun) => {
  await startLocal(run);
  await run.run(`bin/weir cli events enable
bin/weir cli alter-broker-configs -config service.acl.shadowing.enabled=true
echo 'one order' | bin/weir cli produce -topic orders
bin/weir cli events search -wait 1m -types acl_logs`);
};

const recordsIn = (topic: string, partitions: number) => async (run: PageRun) => {
  await startLocal(run);
  await run.run(`bin/weir cli create-topic -topic ${topic} -partitions ${partitions}
bin/weir cli benchmark-producer -topic ${topic} -num-records 5000 -record-size 10B -metrics-port 0`);
};

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

/** An agent of the control plane that has its data in a folder. */
const agentOf = (folder: string, key: string) => `
identity() { node -p "require('$PWD/${folder}/identity.json').$1"; }
bin/weir agent -bucketURL "file://$PWD/bucket" -metadataURL http://localhost:8090 \\
  -defaultVirtualClusterID "$(identity clusterId)" ${key} -discoveryKafkaHostnameOverride localhost`;

/** A cluster with a record in a bucket. */
async function startCluster(run: PageRun): Promise<void> {
  await run.start('bin/weir control-plane -dataDir "$PWD/data" -bucketURL "file://$PWD/bucket"', 'serves');
  await run.start(agentOf('data', '-agentKey "$(identity agentKey)"'), 'is ready');
  await run.run(
    "bin/weir cli create-topic -topic orders && echo 'one order' | bin/weir cli produce -topic orders",
  );
}

async function loseControlPlane(run: PageRun): Promise<void> {
  await startCluster(run);
  await run.stop();
  await run.run('rm -r data');
}

export const guidePages: Readonly<Record<string, GuidePage>> = {
  'guides/clones.md': {
    prepared: { 'clone-topic': recordsIn('orders', 2) },
    expected: [
      ['-to orders-debug', /orders-debug/],
      ['-to orders-cut', /orders-cut/],
    ],
  },
  'guides/lightning.md': {
    prepared: { 'create-topic': startLocal },
    expected: [['service.topic.type=lightning', /clicks/]],
  },
  'guides/pipelines.md': {
    expected: [['run-pipeline -f total.yaml', /^\{"price":2,"count":3,"total":6\}$/m]],
  },
  'guides/schema-registry.md': {
    prepared: {
      '"virtual_cluster_name": "schemas"': async (run) => {
        await run.start('bin/weir playground', serving);
        await run.run(`
SERVICE_API_KEY=$(node -p "require('$HOME/.weir/playground/identity.json').applicationKey")
export SERVICE_API_KEY`);
      },
      'weir agent -metadataURL http://localhost:8090': async (run) => {
        for (const [shown, printed] of [
          ['vci_sr_…', /vci_sr_\w+/],
          ['aks_…', /aks_\w+/],
        ] as const)
          run.replace(shown, printed.exec(run.printed())![0]);
      },
      // The tools go on with the registry of the playground.
      'cat > order.avsc': async (run) => {
        await run.stop();
        await run.start('bin/weir playground', serving);
      },
      'cat > linking.yaml': async (run) => {
        const port = /:(\d+)$/m.exec(await run.run('echo "$SERVICE_SCHEMA_REGISTRY_URL"'))![1];
        run.replace('port: 9094', `port: ${port}`);
      },
      'list-subjects -schema-registry-url': (run) =>
        run.run(
          'until bin/weir cli list-subjects -schema-registry-url http://localhost:9095 | grep carts; do sleep 1; done',
        ),
      '-schemaRegistryPort 9095': async (run) => {
        for (const port of ['9095', '8081']) run.replace(port, `${await freePort()}`);
      },
    },
    replaced: [
      ['https://dr:8081', 'http://localhost:9095'],
      // It ends with the test.
      ['-allowedTargetHosts loopback &', '-allowedTargetHosts loopback'],
      // What does not fit is shown, with this status.
      ['-schema-file order-2.avsc\n', '-schema-file order-2.avsc || [ $? = 1 ]\n'],
      [
        '"type": "string"}]}\' > customer.avsc\nbin/weir apply -f schemas.yaml --dry-run\n',
        '"type": "string"}]}\' > customer.avsc\nbin/weir apply -f schemas.yaml --dry-run || [ $? = 1 ]\n',
      ],
    ],
    expected: [
      ['-d \'{"virtual_cluster_name": "schemas"', /"virtual_cluster_id":"vci_sr_/],
      ['-defaultVirtualClusterID vci_sr_', anything],
      ['weir cli register-schema', /orders-value/],
      ['/subjects/orders-key/versions/latest', /"subject":"orders-key","version":1/],
      ['weir cli check-schema', /READER_FIELD_MISSING_DEFAULT_VALUE at \/fields\/1/],
      ['virtual_clusters/acls/create', anything],
      ['service.value.schema.validation=true', /orders/],
      ['weir cli produce -topic orders -schema-id 1', anything],
      ['weir cli fetch -topic orders -decode auto', /\{"id":7\}/],
      ['weir apply -f schemas.yaml\n', /^Done: 2 created, 2 updated, 0 deleted, 1 unchanged\.$/m],
      ['"name": "name", "type": "string"', /customer\.avsc: incompatible with version 1 \(FULL\)/],
      ['weir apply -f linking.yaml\nexport', /pipeline link/],
      ['-schemaRegistryPort 9095', anything],
      ['weir cli list-subjects -schema-registry-url', /carts-value/],
      ['-schema-mode READWRITE', /READWRITE/],
      ['check_registry_changes', anything],
      ['/exporters/to-dr/status', /"to-dr"/],
    ],
  },
  'guides/security.md': {
    hasOneServerAtATime: true,
    prepared: {
      'rotate-credential': (run) =>
        run.run(`cat >shop.yaml <<'EOF'
version: 1
virtual_clusters: [{ name: default, credentials: [{ name: shop, password_file: shop }] }]
EOF
bin/weir apply -f shop.yaml`),
    },
    expected: [
      ['openssl req -x509', anything],
      ['weir local -kafkaTLS', anything],
      ['weir cli list-topics -tls -tls-server-ca-cert-file ca.crt\n', anything],
      ['-requireSASLAuthentication', anything],
      ['weir cli create-topic', /orders/],
      ['weir cli rotate-credential', anything],
      ['openssl req -newkey rsa:2048 -nodes -subj /CN=billing', anything],
      ['-requireMTLSAuthentication', anything],
      ['-tls-client-cert-file billing.crt', anything],
      ['weir local -saslCredentialsFile', anything],
      ['weir cli create-acls', /User:alice/],
      ['weir cli events enable', /acl_logs/],
      ['service.acls.enabled=true', anything],
      ['weir cli who-may', /User:alice/],
      ['weir cli diagnose-connection', /ACL/],
    ],
  },
  'operate/checklist.md': {
    prepared: { 'alter-broker-configs': startLocal },
    replaced: [['-num-records 1000000', '-num-records 2000 -metrics-port 0']],
    expected: [
      ['log.retention.ms=604800000', anything],
      ['weir cli benchmark-consumer', /2000/],
    ],
  },
  'operate/costs.md': { expected: [['weir cli plan-capacity', /agents/]] },
  'operate/monitoring.md': {
    prepared: { 'weir cli events search': startWithEvents },
    expected: [['weir cli events search', anything]],
  },
  'operate/restore.md': {
    prepared: {
      '/etc/weir/agent-key': (run) => run.run('echo'),
      'control-plane restore -bucketURL': loseControlPlane,
      'weir cli list-topics': (run) =>
        run.start(agentOf('weir-restored', '-agentKeyPath "$PWD/agent-key"'), 'is ready'),
    },
    replaced: [
      ["'s3://records?region=eu-west-1'", '"file://$PWD/bucket"'],
      ['/var/lib/weir-restored', '$PWD/weir-restored'],
      ['/etc/weir/agent-key', 'agent-key'],
    ],
    expected: [
      ['control-plane restore -bucketURL', /^restored vci_\w+ as generation 1$/m],
      ['weir control-plane -dataDir', anything],
      ['agentKey', anything],
      ['weir cli list-topics', /orders/],
      ['restore -dry-run', anything],
    ],
  },
  'operate/storage.md': {
    prepared: {
      'weir cli diagnose-record': async (run) => {
        await startCluster(run);
        await run.run('KEY=$(node -p "require(\'$PWD/data/identity.json\').agentKey"); export KEY');
      },
    },
    replaced: [
      ['s3://records', '"file://$PWD/bucket"'],
      ['-partition 3 -offset 42', '-partition 0 -offset 0'],
    ],
    expected: [
      ['weir cli diagnose-record', /one order/],
      ['weir cli file-scrubber', anything],
    ],
  },
  'operate/troubleshooting.md': {
    prepared: { 'diagnose-connection': recordsIn('orders', 1) },
    replaced: [['-bootstrap-host agent-1', '-bootstrap-host localhost']],
    expected: [['diagnose-connection', /orders/]],
  },
  'reference/event-queries.md': {
    prepared: { 'weir cli events search': startWithEvents },
    // It prints events until it is stopped.
    replaced: [
      ['weir cli events tail -types agent_logs', 'timeout 10 weir cli events tail -types agent_logs || true'],
    ],
    expected: [['weir cli events fields', /data\./]],
  },
  'start/demo.md': {
    replaced: [
      ['bin/weir cli events tail -types acl_logs', 'timeout 10 weir cli events tail -types acl_logs || true'],
    ],
    expected: [
      ['weir demo', anything],
      ['weir cli consumer-group-lag', /clickstream-analytics/],
    ],
  },
};
