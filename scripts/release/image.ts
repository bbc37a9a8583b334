import { createHash } from 'node:crypto';
import { release } from '@weir/core';
import { imageUser } from './debian-base.ts';
import type { Platform } from './platforms.ts';
import { fileAt, movedInto, type ReleaseFile, textFile } from './release-file.ts';
import { gzip, tarOf } from './tar.ts';

/** How a container starts. The image and its Dockerfile derive from this. */
const settings = {
  user: `${imageUser}:${imageUser}`,
  workingDirectory: '/var/lib/weir',
  entrypoint: ['/opt/weir/bin/weir'],
  command: ['help'],
  environment: { PATH: '/opt/weir/bin:/bin', HOME: '/var/lib/weir' },
  ports: [8080, 8090, 9092, 9094],
  volume: '/var/lib/weir',
  /** The system asks for SIGTERM, upon which servers let clients move. */
  stopSignal: 'SIGTERM',
  health: {
    command: ['/opt/weir/bin/healthcheck'],
    intervalSeconds: 15,
    timeoutSeconds: 10,
    startPeriodSeconds: 60,
    retries: 3,
  },
  labels: {
    'org.opencontainers.image.title': 'weir',
    'org.opencontainers.image.version': release,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  },
} as const;

interface ImageParts {
  readonly platform: Platform;
  readonly healthCheckPath: string;
  /** Layers from what changes seldom to what changes with every release. */
  readonly base: readonly ReleaseFile[];
  readonly platformFiles: readonly ReleaseFile[];
  readonly program: readonly ReleaseFile[];
  readonly timeSeconds: number;
}

interface Image {
  /** The layout of an image as the Open Container Initiative defines it. */
  readonly layout: readonly ReleaseFile[];
  readonly dockerfile: string;
}

interface Blob {
  readonly digest: string;
  readonly bytes: Buffer;
}

const blobOf = (bytes: Buffer): Blob => ({ digest: createHash('sha256').update(bytes).digest('hex'), bytes });
const jsonBlob = (value: object) => blobOf(Buffer.from(JSON.stringify(value)));

/** An image without a registry or a container program: layers, how to start, and what holds them together. */
export function imageOf(parts: ImageParts): Image {
  const { platform, timeSeconds } = parts;
  const created = new Date(timeSeconds * 1000).toISOString();
  const ownFiles = [...parts.program, { path: 'bin/healthcheck', ...fileAt(parts.healthCheckPath) }];
  const contents = [parts.base, movedInto('opt/weir', parts.platformFiles), movedInto('opt/weir', ownFiles)];
  const layers = contents.map((files) => {
    const tar = tarOf(files, timeSeconds);
    return { diffId: blobOf(tar).digest, ...blobOf(gzip(tar)) };
  });
  const { health } = settings;
  const config = jsonBlob({
    created,
    architecture: platform.imageName,
    os: platform.os,
    config: {
      User: settings.user,
      WorkingDir: settings.workingDirectory,
      Entrypoint: settings.entrypoint,
      Cmd: settings.command,
      Env: Object.entries(settings.environment).map(([name, value]) => `${name}=${value}`),
      ExposedPorts: Object.fromEntries(settings.ports.map((port) => [`${port}/tcp`, {}])),
      Volumes: { [settings.volume]: {} },
      StopSignal: settings.stopSignal,
      Labels: settings.labels,
      Healthcheck: {
        Test: ['CMD', ...health.command],
        Interval: health.intervalSeconds * 1e9,
        Timeout: health.timeoutSeconds * 1e9,
        StartPeriod: health.startPeriodSeconds * 1e9,
        Retries: health.retries,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => `sha256:${diffId}`) },
    history: layers.map(() => ({ created, created_by: 'weir release' })),
  });
  const described = (mediaType: string, { digest, bytes }: Blob) => ({
    mediaType,
    digest: `sha256:${digest}`,
    size: bytes.length,
  });
  const manifest = jsonBlob({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: described('application/vnd.oci.image.config.v1+json', config),
    layers: layers.map((layer) => described('application/vnd.oci.image.layer.v1.tar+gzip', layer)),
  });
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        ...described('application/vnd.oci.image.manifest.v1+json', manifest),
        platform: { architecture: platform.imageName, os: platform.os },
        annotations: {
          'io.containerd.image.name': `weir:${release}`,
          'org.opencontainers.image.ref.name': release,
        },
      },
    ],
  };
  const layout = [
    textFile('oci-layout', '{"imageLayoutVersion":"1.0.0"}'),
    textFile('index.json', JSON.stringify(index)),
    ...[config, manifest, ...layers].map(({ digest, bytes }) => ({ path: `blobs/sha256/${digest}`, bytes })),
  ];
  return { layout, dockerfile: dockerfileOf(platform, layers) };
}

/** Makes the same image of the same layers: the builder unpacks them as they are. */
function dockerfileOf(platform: Platform, layers: readonly Blob[]): string {
  const { health } = settings;
  return [
    `# Makes the image of weir-${release}-${platform.name}.oci.tar of the same layers:`,
    `#   mkdir image && tar -xf weir-${release}-${platform.name}.oci.tar -C image`,
    `#   docker build -t weir:${release} -f weir-${release}-${platform.name}.Dockerfile image`,
    'FROM scratch',
    ...layers.map(({ digest }) => `ADD blobs/sha256/${digest} /`),
    ...Object.entries(settings.environment).map(([name, value]) => `ENV ${name}=${value}`),
    ...Object.entries(settings.labels).map(([name, value]) => `LABEL ${name}=${value}`),
    `EXPOSE ${settings.ports.join(' ')}`,
    `VOLUME ${settings.volume}`,
    `WORKDIR ${settings.workingDirectory}`,
    `USER ${settings.user}`,
    `STOPSIGNAL ${settings.stopSignal}`,
    `HEALTHCHECK --interval=${health.intervalSeconds}s --timeout=${health.timeoutSeconds}s ` +
      `--start-period=${health.startPeriodSeconds}s --retries=${health.retries} CMD ${JSON.stringify(health.command)}`,
    `ENTRYPOINT ${JSON.stringify(settings.entrypoint)}`,
    `CMD ${JSON.stringify(settings.command)}`,
    '',
  ].join('\n');
}
