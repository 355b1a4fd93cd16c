/** The values of the Helm chart: where each stands in the objects, and what it means. Its default is what stands there. */
import type { valueForms } from "./value-forms.ts";

/** The places of a value: a member of every object of this kind and name. */
export interface ValuePlace {
	readonly kind: string;
	/** A regular expression for the whole name. */
	readonly name: string;
	/** The members that lead to it, joined by dots; numbers are places in lists. */
	readonly path: string;
}

/** A value of the chart. */
export interface ChartValue {
	/** Its name in values.yaml, with dots between levels. */
	readonly name: string;
	/** A comment for operators. */
	readonly comment: string;
	/** Default: a text. */
	readonly form?: keyof typeof valueForms;
	readonly places: readonly ValuePlace[];
	/** The default of a value that stands nowhere in the objects. */
	readonly usual?: unknown;
}

const [processes, all] = ["gateway|core|outward|credentials|pod-manager", ".*"];
const template = "spec.template.spec";
const container = `${template}.containers.0`;

function inDeployments(name: string, path: string): ValuePlace {
	return { kind: "Deployment", name, path };
}

function inRestore(path: string): ValuePlace {
	return { kind: "CronJob", name: "restore", path: `spec.jobTemplate.${path}` };
}

function inNats(path: string): ValuePlace {
	return { kind: "StatefulSet", name: "nats", path };
}

function resources(name: string, deployment: string): ChartValue {
	const comment = `Requests and limits of ${deployment}.`;
	return { name, comment, form: "resources", places: [inDeployments(deployment, `${container}.resources`)] };
}

function replicas(name: string, deployment: string): ChartValue {
	const comment = `The number of processes of ${deployment}.`;
	return { name, comment, form: "count", places: [inDeployments(deployment, "spec.replicas")] };
}

function quota(comment: string): ChartValue {
	const places = [{ kind: "ResourceQuota", name: "sessions", path: "spec.hard" }];
	return { name: "sessions.quota", comment, form: "amounts", places };
}

/** The values in the order of values.yaml. */
export const chartValues: readonly ChartValue[] = [
	{
		name: "images.platform",
		comment: "The image of every process of the platform, best with its digest.",
		places: [
			inDeployments(processes, `${container}.image`),
			inRestore(`${container}.image`),
			inRestore(`${template}.initContainers.0.image`),
		],
	},
	{ name: "images.nats", comment: "The image of NATS.", places: [inNats(`${container}.image`)] },
	{
		name: "imagePullSecrets",
		comment: "The Secrets for pulling these images: a list of {name: …}.",
		form: "secretNames",
		places: [
			inDeployments(processes, `${template}.imagePullSecrets`),
			inNats(`${template}.imagePullSecrets`),
			inRestore(`${template}.imagePullSecrets`),
		],
		usual: [],
	},
	{
		name: "secrets.installation",
		comment: "The Secret with ATELIER_INSTALLATION_KEY.",
		places: [
			inDeployments(processes, `${container}.envFrom.1.secretRef.name`),
			inRestore(`${container}.envFrom.1.secretRef.name`),
		],
	},
	{
		name: "secrets.store",
		comment: "The Secret with STORE__KWARGS__URL, the URL of MongoDB.",
		places: [
			inDeployments("core|outward", `${container}.envFrom.3.secretRef.name`),
			inRestore(`${container}.envFrom.3.secretRef.name`),
		],
	},
	{
		name: "secrets.nats",
		comment: "The Secret with the password of each user of NATS, ATELIER_NATS_<PROCESS>_PASSWORD.",
		places: [
			inDeployments(processes, `${container}.env.1.valueFrom.secretKeyRef.name`),
			inNats(`${container}.envFrom.0.secretRef.name`),
		],
	},
	{
		name: "secrets.natsTls",
		comment: "The Secret with the certificate of the servers of NATS.",
		places: [
			inDeployments(processes, `${template}.volumes.3.secret.secretName`),
			inNats(`${template}.volumes.1.secret.secretName`),
		],
	},
	{
		name: "pat.issuerSecretName",
		comment: "The Secret with the client secret of the issuer of personal access tokens.",
		places: [inDeployments("core", `${container}.env.2.valueFrom.secretKeyRef.name`)],
	},
	{
		name: "pat.issuerSecretKey",
		comment: "The key of the client secret in it.",
		places: [inDeployments("core", `${container}.env.2.valueFrom.secretKeyRef.key`)],
	},
	{
		name: "gateway.minReplicas",
		comment: "The least number of gateways.",
		form: "count",
		places: [{ kind: "HorizontalPodAutoscaler", name: "gateway", path: "spec.minReplicas" }],
	},
	{
		name: "gateway.maxReplicas",
		comment: "The most gateways, which follow the load.",
		form: "count",
		places: [{ kind: "HorizontalPodAutoscaler", name: "gateway", path: "spec.maxReplicas" }],
	},
	resources("gateway.resources", "gateway"),
	replicas("core.replicas", "core"),
	resources("core.resources", "core"),
	replicas("podManager.replicas", "pod-manager"),
	resources("podManager.resources", "pod-manager"),
	replicas("outward.replicas", "outward"),
	resources("outward.resources", "outward"),
	resources("credentials.resources", "credentials"),
	{
		name: "credentials.storage",
		comment: "The size of the volume of credentials.",
		form: "amount",
		places: [{ kind: "PersistentVolumeClaim", name: "credentials", path: "spec.resources.requests.storage" }],
	},
	{
		name: "restore.storage",
		comment: "The size of the volume that has the archive during a restore.",
		form: "amount",
		places: [inRestore(`${template}.volumes.3.ephemeral.volumeClaimTemplate.spec.resources.requests.storage`)],
	},
	quota("The most that all sessions together may have."),
	{
		name: "sessions.most",
		comment: "The most that one container of a session may have.",
		form: "amounts",
		places: [{ kind: "LimitRange", name: "sessions", path: "spec.limits.0.max" }],
	},
	{
		name: "sessions.refusedNetworks",
		comment: "The networks that sessions never reach: those of the cluster, of machines, and of the company.",
		form: "networks",
		places: [{ kind: "NetworkPolicy", name: "egress-default", path: "spec.egress.0.to.0.ipBlock.except" }],
	},
	{
		name: "ingress.host",
		comment: "The name by which people reach the platform; config.gateway.public_url has to have it too.",
		places: [
			{ kind: "Ingress", name: all, path: "spec.rules.0.host" },
			{ kind: "Ingress", name: all, path: "spec.tls.0.hosts.0" },
		],
	},
	{
		name: "ingress.className",
		comment: "The class of the Ingress.",
		places: [{ kind: "Ingress", name: all, path: "spec.ingressClassName" }],
	},
	{
		name: "ingress.tlsSecret",
		comment: "The Secret with the certificate of that name.",
		places: [{ kind: "Ingress", name: all, path: "spec.tls.0.secretName" }],
	},
	{
		name: "ingress.annotations",
		comment: "Streams and chats stay open for hours, and their frames may not be gathered.",
		form: "texts",
		places: [{ kind: "Ingress", name: all, path: "metadata.annotations" }],
	},
];

/** A value that decides whether objects are made. */
export interface ChartSwitch {
	readonly name: string;
	readonly comment: string;
	readonly usual: boolean;
	/** The file of the chart with these objects. */
	readonly file: string;
	/** The places of its value in other objects. */
	readonly places?: readonly ValuePlace[];
	/** The variables of every process that are there only then. */
	readonly variables?: readonly string[];
}

export const chartSwitches: readonly ChartSwitch[] = [
	{ name: "ingress.enabled", comment: "Whether there is an Ingress.", usual: true, file: "ingress" },
	{
		name: "admissionPolicy.enabled",
		comment: "Whether the API refuses pods of others in the namespace of sessions, and to enter those of sessions.",
		usual: true,
		file: "admission-policy",
	},
	{
		name: "metrics.enabled",
		comment: 'Whether Prometheus may read metrics, from namespaces with the label `atelier.dev/reads-metrics: "true"`.',
		usual: false,
		file: "metrics",
	},
	{
		name: "vault.enabled",
		comment: 'Whether credentials may be in Vault, in namespaces with the label `atelier.dev/has-vault: "true"`.',
		usual: false,
		file: "vault",
	},
	{
		name: "holdDrains.enabled",
		comment: "Whether drains of machines wait for sessions.",
		usual: false,
		file: "hold-drains",
	},
	{
		name: "templates.enabled",
		comment: "Whether templates are custom resources of this namespace (SessionTemplate) instead of YAML files.",
		usual: false,
		file: "templates",
		places: [inDeployments("core", `${template}.automountServiceAccountToken`)],
		variables: ["TEMPLATES__ADAPTER"],
	},
];

/** The values with names that the chart does not know, and what they mean. */
export const freeValues = {
	environment: "Further variables of the environment of every process; all values are texts.",
	configFiles: "Further files in the folder /config of every process: their contents by their names.",
	config: "The configuration of every process (docs/configuration.md). Secrets come from the environment.",
} as const;
