/**
 * Programs whose commands are verbs: infrastructure, containers, clouds, packages, migrations, services. One line a verb;
 * the first line that fits decides. To add a verb, add a line here and a row in the tests.
 */

/** `reads`: changes nothing. `adds`: easily taken back. `changes`: with effort. `destroys`: not at all; `wipes`: not at all, and
 * more than what is named. */
export type Effect = 'wipes' | 'reads' | 'adds' | 'changes' | 'destroys' | 'publishes' | 'rights';
export type Line = readonly [words: RegExp, effect: Effect, why: string, tripwire?: string];

const INFRA = 'infra.destroy';

/** Lines by program. */
export const PROGRAMS: Readonly<Record<string, readonly Line[]>> = {
  terraform: [
    [
      /^(plan|show|output|validate|fmt|graph|providers|state (list|show|pull)|workspace (list|show)|version)\b/,
      'reads',
      'shows what stands or would change',
    ],
    [/^destroy\b|^apply\b.*-destroy/, 'destroys', 'destroys infrastructure', INFRA],
    [/^(apply|import|taint|untaint|refresh)\b/, 'changes', 'changes infrastructure'],
    [
      /^(state (rm|mv|push|replace-provider)|force-unlock|workspace delete)\b/,
      'destroys',
      'loses track of infrastructure',
      INFRA,
    ],
    [/^(init|get|workspace (new|select))\b/, 'adds', 'prepares the folder'],
  ],
  pulumi: [
    [/^(preview|stack ls|stack output|config get|about|whoami)\b/, 'reads', 'shows'],
    [/^(destroy|stack rm|state delete)\b/, 'destroys', 'destroys infrastructure', INFRA],
    [/./, 'changes', 'changes infrastructure'],
  ],
  kubectl: [
    [
      /^(get|describe|logs|top|explain|api-resources|api-versions|cluster-info|diff|auth can-i|config (view|get-contexts|current-context)|version|events|wait)\b/,
      'reads',
      'reads the cluster',
    ],
    [
      /^delete\b.*(--all\b|namespace|\bns\b|\bpvc?\b|persistentvolume|\bcrd\b|node|statefulset)|^delete\b.*--all-namespaces/,
      'wipes',
      'deletes what holds data, or everything',
      INFRA,
    ],
    [/^delete\b/, 'destroys', 'deletes from the cluster', INFRA],
    [
      /^(drain|cordon|taint|scale|rollout|set|patch|edit|replace|apply|label|annotate|autoscale|cp|exec)\b/,
      'changes',
      'changes the cluster',
    ],
    [/^(create|run|expose|port-forward|proxy|attach|config use-context)\b/, 'adds', 'adds to the cluster'],
  ],
  helm: [
    [
      /^(list|ls|get|status|history|show|search|template|lint|env|version|repo list)\b/,
      'reads',
      'shows releases',
    ],
    [/^(uninstall|delete|del|un)\b/, 'destroys', 'removes a release', INFRA],
    [/^(upgrade|rollback|install)\b/, 'changes', 'changes a release'],
    [/^(repo|pull|package|dependency|create)\b/, 'adds', 'prepares charts'],
  ],
  docker: [
    [
      /^(ps|images|image ls|logs|inspect|top|stats|version|info|diff|port|search|events|history|container ls|volume ls|network ls|compose (ps|logs|config|ls|images|top))\b/,
      'reads',
      'shows containers',
    ],
    [
      /^(system|volume) prune\b.*(-a\b|--all|--volumes|-f)|^volume (rm|prune)\b|^compose down\b.*(-v\b|--volumes)|^system prune\b/,
      'wipes',
      'deletes volumes and what is in them',
      INFRA,
    ],
    [
      /^(rm|rmi|kill|stop|restart|container (rm|prune|stop|kill)|image (rm|prune)|network (rm|prune)|builder prune|compose (down|rm|stop|kill|restart))\b/,
      'adds',
      'removes containers or images, which are made again',
    ],
    [/^(push|login|manifest push|buildx build .*--push)\b/, 'publishes', 'publishes an image'],
    [
      /^(build|run|create|pull|start|exec|cp|tag|compose|commit|load|save|export|import|network create|volume create|pause|unpause|rename|wait|attach|buildx)\b/,
      'adds',
      'builds or runs containers',
    ],
  ],
  aws: [
    [
      /(^|\s)(describe|list|get|head|lookup|query|scan|batch-get|search|select|filter|test|validate|estimate|check|simulate|preview|wait)[-\w]*(\s|$)|^s3 ls\b|^sts\b|^configure list/,
      'reads',
      'reads the account',
    ],
    [
      /^s3 (rm|rb)\b|^s3 sync\b.*--delete|(^|\s)(terminate|delete|remove|destroy|deregister|purge|schedule-key-deletion|release|disable|detach|revoke|stop|batch-delete|cancel|reboot)[-\w]*(\s|$)/,
      'destroys',
      'destroys in the account',
      INFRA,
    ],
    [/^iam\b/, 'rights', 'changes who may do what'],
    [
      /^s3 (cp|mv|sync|mb)\b|(^|\s)(put|create|run|start|copy|tag|import|upload|publish|send|invoke|register)[-\w]*(\s|$)/,
      'changes',
      'changes the account',
    ],
    [/./, 'changes', 'changes the account'],
  ],
  gcloud: [
    [
      /(^|\s)(list|describe|get[-\w]*|read|info|version|config list|auth list)(\s|$)/,
      'reads',
      'reads the project',
    ],
    [
      /(^|\s)(delete|destroy|remove[-\w]*|reset|purge|undelete|disable|stop)(\s|$)/,
      'destroys',
      'destroys in the project',
      INFRA,
    ],
    [/(^|\s)(add-iam-policy-binding|set-iam-policy|keys create)(\s|$)/, 'rights', 'changes who may do what'],
    [/./, 'changes', 'changes the project'],
  ],
  gsutil: [
    [/^(ls|cat|du|stat|hash|version)\b/, 'reads', 'reads buckets'],
    [/(^|\s)(rm|rb|rsync\b.*-d)\b/, 'destroys', 'deletes from buckets', INFRA],
    [/./, 'changes', 'changes buckets'],
  ],
  az: [
    [/(^|\s)(list|show|get[-\w]*)(\s|$)/, 'reads', 'reads the subscription'],
    [/(^|\s)(delete|purge|remove|stop|deallocate)(\s|$)/, 'destroys', 'destroys in the subscription', INFRA],
    [/^role\b/, 'rights', 'changes who may do what'],
    [/./, 'changes', 'changes the subscription'],
  ],
  gh: [
    [
      /^(repo (view|list|clone)|pr (view|list|diff|checks|status|checkout)|issue (view|list|status)|run (view|list|watch)|release (view|list|download)|search|auth status|status|api (?!.*(-X|--method|-f\b|-F\b|--field|--input)))/,
      'reads',
      'reads from the host',
    ],
    [
      /^(repo|release|secret|variable|gist|ssh-key|gpg-key|label|cache|ruleset|extension) (delete|remove)\b|^repo archive\b|^api\b.*(-X|--method)[= ]?DELETE/i,
      'destroys',
      'deletes from the host',
    ],
    [/^gist create\b/, 'publishes', 'publishes a file'],
    [/^(secret|variable|repo edit|repo rename|ssh-key|gpg-key)\b/, 'rights', 'changes settings or secrets'],
    [
      /^pr merge\b|^release create\b|^workflow run\b|^repo (create|fork|sync)\b/,
      'changes',
      'changes what others see',
    ],
    [/./, 'adds', 'writes to the host'],
  ],
  npm: [
    [
      /^(ls|list|view|info|show|outdated|audit(?! fix)|search|whoami|ping|explain|why|pack --dry-run|config (get|list)|help)\b/,
      'reads',
      'shows packages',
    ],
    [
      /^(publish|dist-tag|deprecate|access|owner|team|org|token|login|adduser)\b/,
      'publishes',
      'publishes to a registry that everybody reads',
    ],
    [/^unpublish\b/, 'publishes', 'takes a published package away'],
    [/^(run|run-script|test|t|start|exec|x|create|init)\b/, 'adds', 'runs a script of the project'],
    [/./, 'adds', 'changes installed packages'],
  ],
  pip: [
    [/^(list|show|freeze|check|search|download)\b/, 'reads', 'shows packages'],
    [/./, 'adds', 'changes installed packages'],
  ],
  cargo: [
    [/^(check|test|build|clippy|fmt|doc|tree|metadata|search|bench|run|clean)\b/, 'adds', 'builds'],
    [/^(publish|yank|owner|login)\b/, 'publishes', 'publishes to a registry that everybody reads'],
    [/./, 'adds', 'changes packages'],
  ],
  gem: [
    [/^(push|yank|owner|upload)\b/, 'publishes', 'publishes to a registry that everybody reads'],
    [/./, 'adds', 'changes packages'],
  ],
  apt: [
    [/^(list|show|search|policy|update)\b/, 'reads', 'shows packages'],
    [/^(remove|purge|autoremove)\b/, 'changes', 'removes software of the machine'],
    [/./, 'changes', 'changes software of the machine'],
  ],
  prisma: [
    [
      /^migrate reset\b|^db push\b.*(--force-reset|--accept-data-loss)|^db execute\b/,
      'destroys',
      'empties the database',
      'db.schema-destruction',
    ],
    [/^(migrate (deploy|resolve)|db push|db seed|migrate dev)\b/, 'changes', 'changes the database'],
    [/^(migrate (status|diff)|validate|format|generate|studio|db pull|version)\b/, 'adds', 'works on files'],
  ],
  supabase: [
    [
      /^db reset\b|^projects delete\b|^branches delete\b|^db push\b.*--include-all|^stop\b.*--no-backup/,
      'destroys',
      'empties the database',
      'db.schema-destruction',
    ],
    [
      /^(db push|migration (up|repair)|functions (deploy|delete)|secrets)\b/,
      'changes',
      'changes the project',
    ],
    [
      /^(status|db diff|db dump|migration list|projects list|gen|start|stop|link|login|init|migration new)\b/,
      'adds',
      'works on files or locally',
    ],
  ],
  rails: [
    [
      /\bdb:(drop|reset|schema:load|purge|migrate:reset|truncate_all|setup|structure:load)\b/,
      'destroys',
      'empties the database',
      'db.schema-destruction',
    ],
    [/\bdb:(migrate|rollback|seed)/, 'changes', 'changes the database'],
    [/./, 'adds', 'runs a task of the project'],
  ],
  alembic: [
    [/^(history|current|heads|show|branches|check)\b/, 'reads', 'shows migrations'],
    [/^downgrade\b/, 'destroys', 'takes migrations back, with their data', 'db.schema-destruction'],
    [/^(upgrade|stamp)\b/, 'changes', 'changes the database'],
    [/./, 'adds', 'writes a migration'],
  ],
  'drizzle-kit': [
    [/^(check|studio|generate|introspect|pull|up)\b/, 'adds', 'works on files'],
    [/^drop\b|^push\b.*--force/, 'destroys', 'changes the database without asking', 'db.schema-destruction'],
    [/./, 'changes', 'changes the database'],
  ],
  'manage.py': [
    [
      /^(flush|reset_db|sqlflush|migrate \S+ zero)\b/,
      'destroys',
      'empties the database',
      'db.schema-destruction',
    ],
    [/^(migrate|loaddata)\b/, 'changes', 'changes the database'],
    [/./, 'adds', 'runs a task of the project'],
  ],
  artisan: [
    [
      /^(migrate:(fresh|reset|refresh)|db:wipe)\b/,
      'destroys',
      'empties the database',
      'db.schema-destruction',
    ],
    [/^migrate\b/, 'changes', 'changes the database'],
    [/./, 'adds', 'runs a task of the project'],
  ],
  systemctl: [
    [/^(status|list-[-\w]+|show|cat|is-[-\w]+)\b/, 'reads', 'shows services'],
    [/^(poweroff|halt|reboot|kexec|emergency|rescue)\b/, 'destroys', 'stops the machine'],
    [/./, 'changes', 'changes services'],
  ],
  vercel: [
    [/^(ls|list|inspect|logs|whoami|env ls)\b/, 'reads', 'shows'],
    [/^(rm|remove|project rm|env rm|domains rm)\b/, 'destroys', 'removes a deployment', INFRA],
    [/^/, 'publishes', 'deploys'],
  ],
  heroku: [
    [/^(ps|logs|config|apps|releases|status|pg:info)$/, 'reads', 'shows'],
    [/^(apps:destroy|pg:reset|addons:destroy|config:unset|ps:stop)\b/, 'destroys', 'destroys', INFRA],
    [/./, 'changes', 'changes the app'],
  ],
  fly: [
    [/^(status|logs|list|info)\b/, 'reads', 'shows'],
    [/(^|\s)(destroy|delete)\b/, 'destroys', 'destroys', INFRA],
    [/./, 'changes', 'changes the app'],
  ],
};
/** Other names of programs, or others that are used alike. */
export const ALIASES: Readonly<Record<string, string>> = {
  tofu: 'terraform',
  terragrunt: 'terraform',
  k: 'kubectl',
  oc: 'kubectl',
  podman: 'docker',
  nerdctl: 'docker',
  'docker-compose': 'docker',
  pnpm: 'npm',
  yarn: 'npm',
  bun: 'npm',
  pip3: 'pip',
  twine: 'gem',
  'apt-get': 'apt',
  dnf: 'apt',
  yum: 'apt',
  brew: 'apt',
  apk: 'apt',
  rake: 'rails',
  flyctl: 'fly',
};
