import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import {
  HorizontalPodAutoscaler,
  type IHorizontalPodAutoscaler,
} from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { type INetworkPolicy, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import {
  type IPodDisruptionBudget,
  PodDisruptionBudget,
} from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { type IService, Service } from 'kubernetes-models/v1/Service'
import { VERSION } from '../../support/program/commands.ts'
import { readConfig, SETTINGS } from '../../support/program/settings.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ROOT = join(import.meta.dir, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

type Manifests = [IDeployment, IService, IHorizontalPodAutoscaler, IPodDisruptionBudget, INetworkPolicy]
const manifests = Bun.YAML.parse(read('deploy/kubernetes.yaml')) as Manifests
const [deployment, service, autoscaler, budget, network] = manifests
const pod = deployment.spec?.template.spec
const container = pod?.containers[0]
const imageLine = (pattern: RegExp) => pattern.exec(read('Dockerfile'))?.[1]

test('Kubernetes accepts every value of deploy/kubernetes.yaml', () => {
  expect(manifests).toHaveLength(5)
  const models = [
    new Deployment(deployment),
    new Service(service),
    new HorizontalPodAutoscaler(autoscaler),
    new PodDisruptionBudget(budget),
    new NetworkPolicy(network),
  ]
  for (const model of models) expect(() => model.validate()).not.toThrow()
  const wrong = structuredClone(deployment)
  Object.assign(wrong.spec ?? {}, { selector: undefined })
  expect(() => new Deployment(wrong).validate()).toThrow('selector')
})

/** Kubernetes and `validate` ignore unknown fields. TypeScript refuses them in a literal. */
function compile(folder: string, objects: readonly unknown[]): string {
  const kinds = ['apps/v1', 'v1', 'autoscaling/v2', 'policy/v1', 'networking.k8s.io/v1'].map((group, at) => {
    const { kind } = manifests[at] as { kind: string }
    const path = join(ROOT, 'node_modules/kubernetes-models', group, kind)
    return `import type { I${kind} } from '${path}'\nexport const o${at}: I${kind} = ${JSON.stringify(objects[at])}\n`
  })
  writeFileSync(join(folder, 'manifests.ts'), kinds.join(''))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--types', '', '--module', 'nodenext']
  const command = [join(ROOT, 'node_modules/.bin/tsc'), ...options, '--ignoreConfig', 'manifests.ts']
  return Bun.spawnSync(command, { cwd: folder }).stdout.toString()
}

test('every field of deploy/kubernetes.yaml exists in Kubernetes', () => {
  using folder = tempFolder()
  expect(compile(folder.path, manifests)).toBe('')
  const misspelt = { ...budget, spec: { ...budget.spec, maxUnavailible: 1 } }
  expect(compile(folder.path, [deployment, service, autoscaler, misspelt, network])).toContain(
    'maxUnavailible',
  )
})

test('the manifests select the same pods, and the autoscaler the Deployment', () => {
  const labels = deployment.spec?.template.metadata?.labels
  expect(labels).toEqual({ 'app.kubernetes.io/name': 'passportd' })
  expect(deployment.spec?.selector.matchLabels).toEqual(labels)
  expect(service.spec?.selector).toEqual(labels)
  expect(budget.spec?.selector?.matchLabels).toEqual(labels)
  const { apiVersion, kind, metadata } = deployment
  expect(autoscaler.spec?.scaleTargetRef).toEqual({ apiVersion, kind, name: metadata?.name as string })
  // A fixed number would undo the autoscaler at each "kubectl apply".
  expect(deployment.spec).not.toHaveProperty('replicas')
})

test('pods of Kubernetes run as the user of the image, without privileges on a read-only file system', () => {
  const [user, group] =
    imageLine(/^USER (.+)$/m)
      ?.split(':')
      .map(Number) ?? []
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user as number,
      runAsGroup: group as number,
      seccompProfile: { type: 'RuntimeDefault' },
    },
  })
  expect(container?.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(container?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual(['/tmp'])
  expect(container?.image).toBe(`passportd:${VERSION.replace('-dev', '')}`)
  expect(container?.args).toEqual(JSON.parse(imageLine(/^CMD (.+)$/m) ?? ''))
})

test('probes and the Service of Kubernetes use the port of the image, and pods have time to stop', () => {
  const http = container?.ports?.find(({ name }) => name === 'http')
  expect(String(http?.containerPort)).toBe(imageLine(/^EXPOSE (.+)$/m) as string)
  expect(service.spec?.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }])
  const { startupProbe, readinessProbe, livenessProbe, lifecycle } = container ?? {}
  expect([startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet)).toEqual([
    { path: '/health', port: 'http' },
    { path: '/ready', port: 'http' },
    { path: '/health', port: 'http' },
  ])
  const pause = lifecycle?.preStop?.sleep?.seconds ?? 0
  // docs/operate.md: a graceful shutdown takes 12 seconds at most.
  expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(pause + 12)
})

test('passportd accepts the settings of the Deployment, and the addresses with passwords come from a Secret', () => {
  const secrets = { DATABASE_URL: 'postgres://user:password@host/database' }
  const variables = container?.env ?? []
  for (const { name } of variables) expect(Object.keys(SETTINGS)).toContain(name)
  const secret = variables.filter(({ valueFrom }) => valueFrom !== undefined)
  expect(secret.map(({ name, valueFrom }) => [name, valueFrom])).toEqual(
    Object.keys(secrets).map((key) => [key, { secretKeyRef: { name: 'passportd', key } }]),
  )
  const plain = variables
    .map(({ name, value }) => [name, value] as const)
    .filter(([, value]) => value !== undefined)
  const image = (imageLine(/^ENV (.+)$/m) ?? '')
    .split(' ')
    .map((pair) => pair.split(/=(.*)/) as [string, string])
  const config = readConfig({ ...Object.fromEntries(image), ...Object.fromEntries(plain), ...secrets }, {})
  expect(config).toMatchObject({ host: '0.0.0.0', port: 8080, database: { engine: 'postgres' } })
  const metrics = container?.ports?.find(({ name }) => name === 'metrics')
  expect(config.metrics).toEqual({ host: '0.0.0.0', port: metrics?.containerPort as number })
})

test('only the Ingress controller reaches the API of the pods, and only the monitoring their metrics', () => {
  const { podSelector, policyTypes, ingress = [] } = network.spec ?? {}
  expect([podSelector, policyTypes]).toEqual([deployment.spec?.selector, ['Ingress']])
  const names = container?.ports?.map(({ name }) => name as string) ?? []
  expect(ingress.map(({ ports }) => ports?.[0]?.port)).toEqual(names)
  for (const { from = [], ports = [] } of ingress) expect([from.length, ports.length]).toEqual([1, 1])
})
