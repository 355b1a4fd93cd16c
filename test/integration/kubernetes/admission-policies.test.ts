/**
 * The rules of the component `admission-policy` on a real API server: what each refuses, and that the pod manager does its work beside
 * them. Night: its program takes 5 to 15 minutes to build.
 */
import { expect } from "chai";
import { podObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import { SessionObjects } from "#services/pod-manager/pod-runtimes/kubernetes/objects/session-objects.ts";
import { launchProofs } from "#services/pod-manager/pod-runtimes/kubernetes/objects/launch-proof.ts";
import { podManifest, type PodPlan } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-manifest.ts";
import { podResources } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-resources.ts";
import { kubernetesSettings } from "#services/pod-manager/pod-runtimes/kubernetes/kubernetes-options.ts";
import { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { Kubeconfig } from "#shared/kubernetes/api/kubeconfig.ts";
import { eventually } from "../../support/eventually.ts";
import { type Deployed, objectsOf } from "../../support/kubernetes/deployed-objects.ts";
import { type KubeAnswer, type KubeRequest, KubeRequests } from "../../support/kubernetes/kube-requests.ts";
import { PlatformCluster } from "../../support/kubernetes/platform-cluster.ts";

const [system, sessions] = ["atelier-system", "atelier-sessions"];
const path = `/api/v1/namespaces/${sessions}`;
const strategicPatch = "application/strategic-merge-patch+json";
const mergePatch = "application/merge-patch+json";

interface PodBody {
	readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
	readonly spec: {
		readonly volumes: readonly object[];
		readonly containers: readonly { readonly env?: readonly object[] }[];
		readonly [member: string]: unknown;
	};
}

function planOf(sessionId: string): PodPlan {
	return {
		sessionId,
		generation: 1,
		installation: "installation-1",
		proofs: launchProofs("token"),
		workspaceId: sessionId,
		owner: { tenant: "default", id: "ada" },
		image: "atelier/session:1",
		user: 231_001,
		resources: podResources({}, kubernetesSettings({}).limits),
		placement: { priorityClassName: "atelier-session" },
		egress: "default",
		variables: {},
		doorUrl: "http://pod-manager.atelier-system:7440",
		accessMode: "ReadWriteOncePod",
	};
}

/** The pod of which the cases try to make others, with other members in its spec. */
const [presentId, otherId] = ["3f0c1111-2222-4333-8444-555566667777", "3f0c1111-2222-4333-8444-555566667778"];
const present = `session-${presentId}-g1`;
const other = podManifest(planOf(otherId)) as PodBody;

function creation(spec: object, name?: string): KubeRequest {
	const metadata = name === undefined ? other.metadata : { ...other.metadata, name };
	const body = { ...other, metadata, spec: { ...other.spec, ...spec } };
	return { method: "POST", path: `${path}/pods?dryRun=All`, body };
}

function withVolume(volume: object): KubeRequest {
	return creation({ volumes: [...other.spec.volumes, { name: "more", ...volume }] });
}

function withVariable(variable: object): KubeRequest {
	const [container, ...others] = other.spec.containers;
	return creation({ containers: [{ ...container, env: [...(container?.env ?? []), variable] }, ...others] });
}

function patchOf(body: object, part = "", form = mergePatch): KubeRequest {
	return { method: "PATCH", path: `${path}/pods/${present}${part}?dryRun=All`, body, form };
}

interface Case {
	readonly what: string;
	readonly who: "administrator" | "pod manager";
	readonly request: KubeRequest;
	readonly sentence: string;
}

const ownPods = "only the pod manager of Atelier makes pods in this namespace";
const volumes = "a pod mounts the workspace that its label names, empty folders, and the token for its launch";
const variables = "no variable of a container comes from another object";
const fixed = "the labels of a session's pod do not change";
const whole = "the images and all else that a session's pod was made of do not change";
const closed = "nobody enters the pod of a session";
const token = (audience: string) => ({ serviceAccountToken: { path: "t", audience } });
const confined = {
	allowPrivilegeEscalation: false,
	runAsNonRoot: true,
	capabilities: { drop: ["ALL"] },
	seccompProfile: { type: "RuntimeDefault" },
};
const debugged = {
	spec: { ephemeralContainers: [{ name: "debug", image: "busybox", securityContext: confined }] },
};

const cases: readonly Case[] = [
	{ what: "a pod of others", who: "administrator", request: creation({}), sentence: ownPods },
	...[
		{
			what: "another name",
			request: creation({ serviceAccountName: present }, "other"),
			sentence: "the name of a pod is that of its session and generation",
		},
		{
			what: "the account of another session",
			request: creation({ serviceAccountName: present }),
			sentence: "a pod has the account of its own session, and no token for the API",
		},
		{
			what: "a token for the API",
			request: creation({ automountServiceAccountToken: true }),
			sentence: "a pod has the account of its own session, and no token for the API",
		},
		{ what: "a secret", request: withVolume({ secret: { secretName: "one" } }), sentence: volumes },
		{ what: "a map", request: withVolume({ configMap: { name: "one" } }), sentence: volumes },
		{
			what: "the workspace of another session",
			request: withVolume({ persistentVolumeClaim: { claimName: `workspace-${presentId}` } }),
			sentence: volumes,
		},
		{
			what: "a token for another audience",
			request: withVolume({ projected: { sources: [token("https://kubernetes.default.svc")] } }),
			sentence: volumes,
		},
		{
			what: "a secret beside its token",
			request: withVolume({ projected: { sources: [token("atelier-session"), { secret: { name: "one" } }] } }),
			sentence: volumes,
		},
		{
			what: "a variable from a secret",
			request: withVariable({ name: "ONE", valueFrom: { secretKeyRef: { name: "one", key: "one" } } }),
			sentence: variables,
		},
		{
			what: "a machine that was not chosen",
			request: creation({ nodeName: "n7" }),
			sentence: "the scheduler chooses the machine of a pod",
		},
		...["atelier.dev/session", "atelier.dev/egress", "atelier.dev/owner", "app.kubernetes.io/name"].map((label) => ({
			what: `another value of the label ${label}`,
			request: patchOf({ metadata: { labels: { [label]: "other" } } }),
			sentence: fixed,
		})),
		{
			what: "no label of its egress",
			request: patchOf({ metadata: { labels: { "atelier.dev/egress": null } } }),
			sentence: fixed,
		},
	].map((one) => ({ ...one, who: "pod manager" as const })),
	{
		what: "another image of its container",
		who: "administrator",
		request: patchOf({ spec: { containers: [{ name: "session", image: "evil" }] } }, "", strategicPatch),
		sentence: whole,
	},
	{
		what: "other resources of its container",
		who: "administrator",
		request: patchOf(
			{ spec: { containers: [{ name: "session", resources: { limits: { cpu: "64" } } }] } },
			"/resize",
			strategicPatch,
		),
		sentence: whole,
	},
	{
		what: "another label by way of its status",
		who: "administrator",
		request: patchOf({ metadata: { labels: { "atelier.dev/egress": "default-and-more" } } }, "/status"),
		sentence: fixed,
	},
	{
		what: "a status that somebody else writes",
		who: "administrator",
		request: patchOf({ metadata: { annotations: { "atelier.dev/status": "{}" } } }),
		sentence: "only the pod manager of Atelier writes the status of a session",
	},
	...[
		"exec?command=sh&container=session&stdout=true",
		"attach?container=session&stdout=true",
		"portforward?ports=7433",
	].map(
		(part): Case => ({
			what: part.replace(/\?.*/, ""),
			who: "administrator",
			request: { method: "POST", path: `${path}/pods/${present}/${part}` },
			sentence: closed,
		}),
	),
	{
		what: "a way through the API to its port",
		who: "administrator",
		request: { method: "GET", path: `${path}/pods/${present}/proxy/` },
		sentence: closed,
	},
	{
		what: "a container that is added for a look",
		who: "administrator",
		request: patchOf(debugged, "/ephemeralcontainers"),
		sentence: closed,
	},
	{
		what: "a token of its account",
		who: "administrator",
		request: {
			method: "POST",
			path: `${path}/serviceaccounts/${present}/token?dryRun=All`,
			body: {
				apiVersion: "authentication.k8s.io/v1",
				kind: "TokenRequest",
				spec: { audiences: ["atelier-session"], expirationSeconds: 600 },
			},
		},
		sentence: "only the machine of a pod gets the token of its account",
	},
];

describe("the admission policies of a real API server", function () {
	this.timeout(180_000);
	const objects = objectsOf("overlays/production");
	const policies = objects.filter(({ kind }) => kind.startsWith("ValidatingAdmissionPolicy"));
	let cluster: PlatformCluster;
	let api: ApiClient;
	let managed: SessionObjects;
	let callers: Record<Case["who"], KubeRequests>;
	/** The answers without the policies. */
	const unguarded = new Map<Case, KubeAnswer>();

	before(async () => {
		cluster = await PlatformCluster.start(objects);
		const kubeconfig = await cluster.kubeconfigOf(system, "pod-manager");
		api = new ApiClient({ access: await Kubeconfig.open({ file: kubeconfig }) });
		managed = new SessionObjects(api, sessions, "installation-1");
		callers = { administrator: cluster.admin, "pod manager": new KubeRequests(kubeconfig) };
		await managed.make(planOf(presentId));
		const account: Deployed = {
			apiVersion: "v1",
			kind: "ServiceAccount",
			metadata: { name: other.metadata.name, namespace: sessions },
		};
		await cluster.create(account);
		for (const one of cases) unguarded.set(one, await callers[one.who].send(one.request));
		for (const policy of policies) await cluster.create(policy);
		// The server takes a policy into account some time after it was made, and each by itself.
		const asked = cases.filter(({ sentence }, index) => cases.findIndex((one) => one.sentence === sentence) === index);
		for (const one of asked)
			await eventually(async () => (await answer(one)).body.message?.includes(one.sentence), {
				withinMs: 30_000,
				what: `the policy is there: ${one.sentence}`,
			});
	});
	after(async () => {
		api?.close();
		await cluster?.[Symbol.asyncDispose]();
	});
	const answer = (one: Case) => callers[one.who].send(one.request);

	it("are four, without whose refusals the cases would pass", () => {
		expect(policies).to.have.length(8);
		const refused = [...unguarded].filter(([{ sentence }, { body }]) => body.message?.includes(sentence));
		expect(refused.map(([{ what }]) => what)).to.deep.equal([]);
		// Nothing runs the pod, so that the server cannot lead into it.
		const isEntry = ({ request }: Case) => /\/(?:exec|attach|portforward|proxy)\b/.test(request.path);
		const failed = [...unguarded].filter(([one, { status }]) => !isEntry(one) && status >= 300);
		expect(failed.map(([{ what }, { status, body }]) => `${what}: ${status} ${body.message}`)).to.deep.equal([]);
		const entries = [...unguarded].filter(([one]) => isEntry(one)).map(([, { body }]) => body.message ?? "");
		expect(entries.every((message) => !message.includes("ValidatingAdmissionPolicy"))).to.equal(true);
	});

	for (const one of cases)
		it(`refuse ${one.what} (${one.who})`, async () => {
			const { status, body } = await answer(one);
			expect(status, body.message).to.equal(422);
			expect(body.message).to.include(one.sentence);
		});

	it("let the pod manager make, mark, end and forget a pod", async () => {
		const plan = { ...planOf(presentId), generation: 2 };
		await managed.make(plan);
		const pod = podObject(await api.get(managed.pods, `session-${presentId}-g2`));
		if (!pod) throw new Error("There is no pod");
		expect(await managed.keepStatus(pod, '{"phase":"ready"}')).to.equal("kept");
		await managed.end(pod, 0);
		await managed.forget(pod);
		expect(await managed.podNow(pod.metadata.name)).to.equal(undefined);
		expect(await managed.launches(presentId)).to.deep.equal([{ sessionId: presentId, generation: 1 }]);
	});

	it("leave other namespaces alone", async () => {
		const { spec } = other;
		const containers = spec.containers.map((container) => ({ ...container, env: [] }));
		const body = {
			apiVersion: "v1",
			kind: "Pod",
			metadata: { name: "one" },
			spec: { ...spec, containers, volumes: [], serviceAccountName: "core" },
		};
		const at = `/api/v1/namespaces/${system}/pods?dryRun=All`;
		const { body: made } = await cluster.admin.send({ method: "POST", path: at, body });
		expect(made.message ?? "").to.not.include("ValidatingAdmissionPolicy");
	});
});
