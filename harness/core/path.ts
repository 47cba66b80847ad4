/**
 * Whether a path written in a log stays inside the run folder, judged by its text alone.
 *
 * The writer refuses such paths before it records them and the judge reports them when it finds them, so the reading
 * exists once. It opens nothing: symlinks are the business of log/run-dir.ts.
 */

const DRIVE = /^[A-Za-z]:/;
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;

/**
 * How `path` leaves its folder, in a few words; `undefined` when it stays.
 *
 * A back-slash separates like a slash, so that a log judged on one system means the same on every other. `~`, `%2e`
 * and reserved Windows names such as `CON` are plain names: nothing here expands or decodes.
 */
export function pathEscapes(path: string): string | undefined {
  if (path === '') return 'empty';
  if (path.includes('\0')) return 'holds a NUL';
  // One letter and a colon is a drive, also where RFC 3986 would see a scheme.
  if (DRIVE.test(path)) return 'starts with a drive letter';
  if (SCHEME.test(path)) return 'is a URL';
  const slashed = path.replaceAll('\\', '/');
  if (slashed.startsWith('//')) return 'is a network path';
  if (slashed.startsWith('/')) return 'is absolute';
  return climbsOut(slashed) ? 'climbs out by ".."' : undefined;
}

/** The names along a path that does not escape, `.` and inner `..` resolved. Empty for the folder itself. */
export function pathNames(path: string): readonly string[] {
  const names: string[] = [];
  for (const name of path.replaceAll('\\', '/').split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}

/** True as soon as some prefix of the path stands above the folder: coming back by name is leaving all the same. */
function climbsOut(slashed: string): boolean {
  let depth = 0;
  for (const name of slashed.split('/')) {
    if (name === '..') depth -= 1;
    else if (name !== '' && name !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}
