import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process';

/** Why no container can be made here, as the `skip` of a test: that takes root, and a system that allows namespaces. */
export function missingNamespaces(): string | false {
  if (process.getuid?.() !== 0) return 'only root makes namespaces';
  const { status } = spawnSync('unshare', [
    '--mount',
    '--pid',
    '--fork',
    'mount',
    '-t',
    'tmpfs',
    'tmpfs',
    '/mnt',
  ]);
  return status === 0 ? false : 'this system allows no namespaces';
}

/** As a container program starts an image: files read-only, devices, folders for temporary files and for state. */
const start = `
set -e
root=$1 user=$2
shift 2
mount --bind "$root" "$root"
mkdir -p "$root/dev" "$root/proc" "$root/var/lib/weir"
mount -t tmpfs tmpfs "$root/dev"
for name in null zero random urandom; do touch "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=0700 tmpfs "$root/var/lib/weir"
chown "$user" "$root/var/lib/weir"
mount -o remount,ro,bind "$root"
exec chroot --userspec="$user" "$root" "$@"
`;

interface Run {
  readonly user: string;
  readonly environment: readonly string[];
  readonly argv: readonly string[];
}

/** The command that runs a program with a folder as its whole system, which it cannot change. */
export function isolated(root: string, { user, environment, argv }: Run): [command: string, args: string[]] {
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child'];
  return [
    'unshare',
    [...namespaces, 'sh', '-c', start, 'sh', root, user, '/bin/env', '-i', ...environment, ...argv],
  ];
}

export function runIsolated(root: string, run: Run): SpawnSyncReturns<string> {
  return spawnSync(...isolated(root, run), { encoding: 'utf8', timeout: 120_000 });
}

export function hasProgram(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
