/** A store that measures its operations. The caller opens and closes the store behind it. */
import { monotonic, now } from "#shared/base/clock.ts";
import { ServiceError } from "#shared/base/errors.ts";
import type { CounterCell, HistogramCell, Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { activeSpan, type Step } from "#shared/telemetry/tracing/span.ts";
import type { Collection } from "./collection.ts";
import { type DocumentStore, DuplicateKeyError } from "./document-store.ts";

/** The series of one operation on one collection. */
interface Series {
	readonly seconds: HistogramCell;
	readonly errors: CounterCell;
}

/** Observes operations on their way to the store. */
export class MeasuredStore implements DocumentStore {
	readonly #store: DocumentStore;
	readonly #metrics: Metrics;
	readonly #series = new Map<string, Map<string, Series>>();
	readonly isShared: boolean;

	constructor(store: DocumentStore, metrics: Metrics) {
		this.#store = store;
		this.#metrics = metrics;
		this.isShared = store.isShared;
	}

	open: DocumentStore["open"] = (collections) => this.#store.open(collections);

	insert: DocumentStore["insert"] = (collection, ...rest) =>
		this.#measure("insert", collection, this.#store.insert(collection, ...rest));

	append: DocumentStore["append"] = (collection, documents) =>
		this.#measure("append", collection, this.#store.append(collection, documents));

	get: DocumentStore["get"] = (collection, ...rest) =>
		this.#measure("get", collection, this.#store.get(collection, ...rest));

	update: DocumentStore["update"] = (collection, ...rest) =>
		this.#measure("update", collection, this.#store.update(collection, ...rest));

	find: DocumentStore["find"] = (collection, ...rest) =>
		this.#measure("find", collection, this.#store.find(collection, ...rest));

	versions: DocumentStore["versions"] = (collection, ...rest) =>
		this.#measure("versions", collection, this.#store.versions(collection, ...rest));

	search: DocumentStore["search"] = (collection, ...rest) =>
		this.#measure("search", collection, this.#store.search(collection, ...rest));

	count: DocumentStore["count"] = (collection, ...rest) =>
		this.#measure("count", collection, this.#store.count(collection, ...rest));

	remove: DocumentStore["remove"] = (collection, ...rest) =>
		this.#measure("remove", collection, this.#store.remove(collection, ...rest));

	removeMany: DocumentStore["removeMany"] = (collection, ids) =>
		this.#measure("removeMany", collection, this.#store.removeMany(collection, ids));

	outbox: DocumentStore["outbox"] = (collection, limit) =>
		this.#measure("outbox", collection, this.#store.outbox(collection, limit));

	isWaiting: DocumentStore["isWaiting"] = (collection, id) =>
		this.#measure("isWaiting", collection, this.#store.isWaiting(collection, id));

	trimOutbox: DocumentStore["trimOutbox"] = (collection, ...rest) =>
		this.#measure("trimOutbox", collection, this.#store.trimOutbox(collection, ...rest));

	snapshot: DocumentStore["snapshot"] = () => this.#store.snapshot();

	ping: DocumentStore["ping"] = () => this.#store.ping();

	time = async (): Promise<number> => (await this.#store.time?.()) ?? now();

	get transactions(): DocumentStore["transactions"] {
		return this.#store.transactions;
	}

	close: DocumentStore["close"] = () => this.#store.close();

	/** Observes the outcome without a further promise in the way of the caller. */
	#measure<T>(operation: string, { name }: Pick<Collection, "name">, outcome: Promise<T>): Promise<T> {
		const since = monotonic();
		const { seconds, errors } = this.#seriesOf(operation, name);
		const span = activeSpan()?.child();
		const ended = (failure?: string) => {
			seconds.observe((monotonic() - since) / 1_000);
			span?.end(stepOf(operation, name), failure);
		};
		outcome.then(
			() => ended(),
			(error: unknown) => {
				const isOurs = isFailure(error);
				if (isOurs) errors.add();
				ended(isOurs ? "store" : undefined);
			},
		);
		return outcome;
	}

	#seriesOf(operation: string, collection: string): Series {
		let ofOperation = this.#series.get(operation);
		if (!ofOperation) this.#series.set(operation, (ofOperation = new Map()));
		let series = ofOperation.get(collection);
		if (!series) {
			const seconds = this.#metrics.histogram("atelier_store_operation_seconds").at(operation, collection);
			series = { seconds, errors: this.#metrics.counter("atelier_store_errors_total").at(operation, collection) };
			ofOperation.set(collection, series);
		}
		return series;
	}
}

function stepOf(operation: string, collection: string): Step {
	const attributes = { "db.operation.name": operation, "db.collection.name": collection };
	return { name: `store ${operation} ${collection}`, kind: "client", attributes };
}

/** Whether the store has failed, and not its caller. */
function isFailure(error: unknown): boolean {
	if (error instanceof DuplicateKeyError || error instanceof RangeError || error instanceof TypeError) return false;
	return !(error instanceof ServiceError) || error.code >= 500;
}
