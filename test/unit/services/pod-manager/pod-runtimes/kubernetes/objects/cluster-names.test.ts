import { expect } from "chai";
import { randomUUID } from "node:crypto";
import {
	label,
	labelOf,
	launchOf,
	objectName,
	selectorOf,
	volumeClaimName,
	workspaceOf,
} from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { podManifest } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-manifest.ts";
import { podPlan } from "../../../../../../support/kubernetes/pods/pod-plan.ts";
import { seededRandom } from "../../../../../../support/kubernetes/virtual-clock.ts";

describe("the names and labels of a cluster", () => {
	/** RFC 1123, and "Labels and Selectors" of Kubernetes. */
	const nameForm = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
	const labelForm = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/;
	const random = seededRandom(11);
	const anyText = (): string => {
		const points = Array.from({ length: Math.floor(random() * 80) }, () => Math.floor(random() * 0xd000));
		return String.fromCodePoint(...points);
	};

	it("are names of at most 63 characters, and each launch has its own", () => {
		const seen = new Set<string>();
		for (let n = 0; n < 10_000; n++) {
			const [sessionId, generation] = [randomUUID(), 1 + Math.floor(random() * 999_999_999)];
			for (const name of [objectName({ sessionId, generation }), volumeClaimName(sessionId)]) {
				expect(name).to.match(nameForm);
				expect(seen.has(name), name).to.equal(false);
				seen.add(name);
			}
		}
		expect(objectName({ sessionId: randomUUID(), generation: 999_999_999 })).to.match(nameForm);
	});

	it("are values of labels for 10,000 ids of any characters, one for each", () => {
		const [ids, values] = [new Set<string>(), new Set<string>()];
		for (let n = 0; n < 10_000; n++) {
			const id = anyText();
			ids.add(id);
			values.add(labelOf(id));
			expect(labelOf(id)).to.match(labelForm).and.equal(labelOf(id));
		}
		expect(values.size).to.equal(ids.size);
	});

	it("are labels of pods within their form, whoever owns the session", () => {
		for (let n = 0; n < 1_000; n++) {
			const { labels = {} } = podManifest(podPlan({ owner: { tenant: anyText(), id: anyText() } })).metadata;
			for (const [name, value] of Object.entries(labels)) {
				expect(name.split("/").at(-1)).to.match(labelForm);
				expect(value, name).to.match(labelForm);
			}
		}
	});

	it("say the launch of an object, and nothing for other labels or another name", () => {
		const launch = { sessionId: randomUUID(), generation: 7 };
		const of = (sessionId: string, generation: string, name = `session-${sessionId}-g${generation}`) =>
			launchOf({ name, labels: { [label.session]: sessionId, [label.generation]: generation } });
		expect(of(launch.sessionId, "7")).to.deep.equal(launch);
		for (const generation of ["", "0", "-1", "1.5", "x", "07", "9007199254740993"])
			expect(of(launch.sessionId, generation), generation).to.equal(undefined);
		for (const id of ["", "x", "..", launch.sessionId.toUpperCase(), `${launch.sessionId}0`])
			expect(of(id, "7"), id).to.equal(undefined);
		expect(of(launch.sessionId, "7", "session")).to.equal(undefined);
		expect(launchOf({ name: objectName(launch), labels: { [label.generation]: "7" } })).to.equal(undefined);
		expect(launchOf({ name: objectName(launch) })).to.equal(undefined);
	});

	it("say the workspace of a claim, and nothing for other labels or another name", () => {
		const id = randomUUID();
		const of = (workspaceId: string, name = volumeClaimName(workspaceId)) =>
			workspaceOf({ name, labels: { [label.workspace]: workspaceId } });
		expect(of(id)).to.equal(id);
		for (const wrong of ["", "x", "..", `${id}0`]) expect(of(wrong), wrong).to.equal(undefined);
		expect(of(id, "workspace")).to.equal(undefined);
		expect(workspaceOf({ name: volumeClaimName(id) })).to.equal(undefined);
	});

	it("are selected together", () => {
		expect(selectorOf({ a: "1", "atelier.dev/b": "2" })).to.equal("a=1,atelier.dev/b=2");
	});
});
