import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { buildJava, buildJavaClient } from './apache/build.ts';
import { missingTool } from './apache/tools.ts';
import { missingAzurite } from './azure/azurite.ts';
import { missingServer, smallServers } from './connectors/server-process.ts';
import { buildFranzGoSuite, buildGo } from './go/programs.ts';
import { missingShippers } from './logs/shippers.ts';
import { missingImplementations } from './mcp/conformance-tools.ts';
import { missingOpenApiValidator } from './openapi/validator.ts';
import { packagesOfInterop, pythonWith } from './python/venv.ts';
import { missingRegistryClients } from './registry/javascript-clients.ts';
import { missingProtobufTools } from './registry/protobuf/tools.ts';
import { missingRestProxyClient } from './rest-proxy/npm-client.ts';
import { gatherJars } from './s3/server.ts';

/**
 * Downloads and builds what interop tests need while the gate runs; most of it is waiting for downloads. Failures here
 * are not errors: the tests that need a missing part report it by name.
 *
 * Maven's cache supports one build at a time, as do the other tools, so each has its own process.
 */
const works: Readonly<Record<string, () => void>> = {
  maven() {
    if (missingTool() !== false) return;
    buildJavaClient();
    buildJava(join(import.meta.dirname, 'applications'));
    buildJava(join(import.meta.dirname, 'registry/avro'));
    gatherJars();
  },
  go() {
    for (const name of ['franz-go', 'franz-go-sr', 'sarama', 'kafka-go'] as const) buildGo(name);
    buildFranzGoSuite();
  },
  python() {
    for (const name of packagesOfInterop()) pythonWith(name);
  },
  debian() {
    for (const name of smallServers) missingServer(name);
  },
  npm() {
    missingImplementations();
    missingAzurite();
    missingShippers();
    missingOpenApiValidator();
    missingRegistryClients();
    missingRestProxyClient();
    missingProtobufTools();
  },
};

const [wanted] = process.argv.slice(2);
if (wanted === undefined) {
  for (const name of Object.keys(works)) {
    spawn(process.execPath, [import.meta.filename, name], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
} else {
  works[wanted]?.();
}
