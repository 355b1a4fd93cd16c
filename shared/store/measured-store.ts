/** A store that measures its operations. The caller opens and closes the store behind it. */
import { monotonic } from "#shared/base/clock.ts";
import { ServiceError } from "#shared/base/errors.ts";
import type { CounterCell, HistogramCell, Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { activeSpan, type Step } from "#shared/telemetry/tracing/span.ts";
import type { Collection } from "./collection.ts";
import { decoratedStore } from "./decorated-store.ts";
import { type DocumentStore, documentStoreMethods } from "./document-store.ts";
import { DuplicateKeyError } from "./port/documents.ts";

interface Series {
	readonly seconds: HistogramCell;
	readonly errors: CounterCell;
}

/** The methods that are about no collection. */
const unmeasured: readonly string[] = ["open", "snapshot", "ping", "close"];

/** Returns a store that observes the operations on collections on their way to this one. */
export function measuredStore(store: DocumentStore, metrics: Metrics): DocumentStore {
	const operations = new Operations(metrics);
	const measured = documentStoreMethods
		.filter((name) => !unmeasured.includes(name))
		.map((name) => [
			name,
			(collection: Collection, ...rest: unknown[]) =>
				operations.measure(name, collection, Reflect.apply(store[name], store, [collection, ...rest])),
		]);
	return decoratedStore(store, Object.fromEntries(measured));
}

class Operations {
	readonly #metrics: Metrics;
	readonly #series = new Map<string, Map<string, Series>>();

	constructor(metrics: Metrics) {
		this.#metrics = metrics;
	}

	/** Observes the outcome without a further promise in the way of the caller. */
	measure<T>(operation: string, { name }: Pick<Collection, "name">, outcome: Promise<T>): Promise<T> {
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
