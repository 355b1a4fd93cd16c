import { expect } from "chai";
import { AcceptedConditions } from "#services/blueprints/template-sources/kubernetes/accepted-conditions.ts";
import { type Judgement, judgedTemplates } from "#services/blueprints/template-sources/kubernetes/judged-templates.ts";
import {
	type TemplateObject,
	templateRecord,
} from "#services/blueprints/template-sources/kubernetes/template-record.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import { eventually } from "../../../../../support/eventually.ts";

/** A namespace with templates, which several processes write to. */
class Namespace {
	readonly objects = new Map<string, TemplateObject & { status?: unknown }>();
	readonly writes: string[] = [];
	/** The status with which writes are refused. */
	refusal: number | undefined;
	readonly #listeners: (() => void)[] = [];
	#version = 1;

	put(name: string): void {
		this.objects.set(name, { metadata: this.#metadata(name), spec: {} });
		this.#tell();
	}

	/** Returns a process that says this of all templates that it accepts. */
	process(log: string[], message?: string): AcceptedConditions {
		const conditions = new AcceptedConditions({
			judgements: () => this.#judgements(message),
			write: async (name, members) => this.#write(name, members),
			log: { error: (sentence) => void log.push(sentence) },
		});
		this.#listeners.push(() => conditions.request());
		return conditions;
	}

	messageOf(name: string): unknown {
		const told = templateRecord(this.objects.get(name) ?? { metadata: { name } }).told;
		return told.conditions[0]?.["message"];
	}

	#judgements(message?: string): Judgement[] {
		const { judgements } = judgedTemplates([...this.objects.values()].map(templateRecord), () => undefined);
		return judgements.map(({ record, acceptance }) => {
			return { record, acceptance: message === undefined ? acceptance : { ...acceptance, message } };
		});
	}

	#write(name: string, members: object): void {
		const { metadata, status } = members as { metadata: { resourceVersion: string }; status: unknown };
		const present = this.objects.get(name);
		const isOld = present?.metadata.resourceVersion !== metadata.resourceVersion;
		const code = this.refusal ?? (isOld ? 409 : undefined);
		this.writes.push(`${name} ${code ?? "done"}`);
		if (code !== undefined) throw new ApiError({ status: code, reason: "Refused", message: "refused" });
		this.objects.set(name, { spec: {}, ...present, metadata: this.#metadata(name), status });
		this.#tell();
	}

	#metadata(name: string) {
		return { name, uid: name, resourceVersion: String(this.#version++), generation: 1 };
	}

	#tell(): void {
		for (const listener of this.#listeners) listener();
	}
}

describe("AcceptedConditions", () => {
	let log: string[];
	let namespace: Namespace;
	let processes: AcceptedConditions[];
	beforeEach(() => {
		log = [];
		namespace = new Namespace();
		processes = [];
	});
	afterEach(async () => {
		for (const each of processes) await each.close();
	});
	const start = (message?: string) => processes.push(namespace.process(log, message));
	const done = () => namespace.writes.filter((line) => line.endsWith("done"));

	it("are written once for each template, whoever of several processes does it", async () => {
		for (let each = 0; each < 3; each++) start();
		namespace.put("a");
		namespace.put("b");
		await eventually(() => done().length === 2);
		// A further template has every process look at all of them again.
		namespace.put("c");
		await eventually(() => done().length === 3);
		expect(done().toSorted()).to.deep.equal(["a done", "b done", "c done"]);
	});

	it("are written once by each of two processes that do not agree", async () => {
		start("one");
		start("other");
		namespace.put("a");
		await eventually(() => done().length === 2);
		const last = namespace.messageOf("a");
		for (const name of ["b", "c", "d"]) {
			namespace.put(name);
			await eventually(() => done().filter((line) => line === `${name} done`).length === 2);
		}
		expect(done().filter((line) => line === "a done")).to.have.length(2);
		expect(namespace.messageOf("a")).to.equal(last);
	});

	it("wait while nobody may write them, are logged once, and are written later", async () => {
		start();
		namespace.refusal = 403;
		namespace.put("a");
		namespace.put("b");
		await eventually(() => log.length > 0);
		// The other template is not tried, since the same right is missing for it.
		expect(new Set(namespace.writes)).to.deep.equal(new Set(["a 403"]));
		namespace.refusal = undefined;
		await eventually(() => done().length === 2, { withinMs: 20_000 });
		expect(log).to.have.length(1);
		expect(log[0]).to.include("lacks the right to say in their status");
	});

	it("are tried again when the API does not know the kind of the objects yet", async () => {
		start();
		namespace.refusal = 404;
		namespace.put("a");
		await eventually(() => namespace.writes.length > 0);
		namespace.refusal = undefined;
		await eventually(() => done().length === 1);
		expect(log).to.deep.equal([]);
	});
});
