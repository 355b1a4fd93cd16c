/** Provides a fresh store with the people of two processes for each test of a suite. */
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { openPeople, type OpenedPeople, operator } from "./open-people.ts";

/** The people of a test, of whom there is the operator already. */
export interface PeopleOnStore {
	readonly store: DocumentStore;
	readonly one: OpenedPeople;
	readonly other: OpenedPeople;
}

/** Opens a store before each test, and discards it afterwards. @param begin Takes what was opened. */
export function usePeople(open: () => Promise<StoreUnderTest>, begin: (people: PeopleOnStore) => void): void {
	let opened: StoreUnderTest | undefined;
	beforeEach(async () => {
		opened = await open();
		const { store } = opened;
		const one = openPeople(store);
		await one.admission.provision(operator);
		begin({ store, one, other: openPeople(store) });
	});
	afterEach(() => opened?.discard());
}
