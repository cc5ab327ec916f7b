// Parties, users, rights and identity providers, by mouse: created, changed, revoked, deleted.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertAccessible, useExplorer } from '../fixtures/explorer.ts'

describe('people', () => {
  const explorer = useExplorer()

  test('a party is allocated, found, annotated, and its view is taken', async () => {
    const page = await explorer.open('/parties')
    await page.getByRole('row', { name: /alice/ }).waitFor()
    await page.getByRole('button', { name: 'New party' }).click()
    await page.getByLabel('Hint').fill('dora')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Allocate' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByLabel('Id begins with').fill('dor')
    await page.getByRole('row', { name: /alice/ }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'dora' }).click()
    await page.getByRole('heading', { level: 1, name: 'dora' }).waitFor()
    await page.getByRole('button', { name: 'Edit annotations' }).click()
    await page.getByLabel('Annotations', { exact: true }).fill('no value')
    assert.ok(await page.getByRole('button', { name: 'Save' }).isDisabled())
    await page.getByLabel('Annotations', { exact: true }).fill('team = trade & <b>settlement</b>')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('trade & <b>settlement</b>').waitFor()
    const updates = page.getByRole('region', { name: 'Latest updates' })
    await updates.getByRole('link', { name: 'All that it sees' }).click()
    await page.getByRole('button', { name: 'Stop viewing as dora' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Updates' }).waitFor()
  })

  test('a party has its contracts by template, its latest updates, its hosts, and who may act or read as it', async () => {
    const { ledger } = explorer
    for (let index = 0; index < 3; index += 1) await ledger.submit([ledger.createIou()], { commandId: `own-${index}` })
    const page = await explorer.open(`/parties/${encodeURIComponent(ledger.alice)}`)
    await page.getByRole('row', { name: /Iou:Iou 3$/ }).waitFor()
    await page.getByRole('row', { name: /own-2/ }).waitFor()
    await page.getByRole('row', { name: /^app CanActAs CanReadAsAnyParty/ }).waitFor()
    await page.getByText('global submission').waitFor()
    await page.getByText('local: the participant signs for it').waitFor()
    await assertAccessible(page)
    await page.getByRole('row', { name: /Iou:Iou 3$/ }).click()
    await page.getByRole('button', { name: 'Stop viewing as alice' }).waitFor()
    assert.match(page.url(), /contracts\?template=/)
    await page.goto(`${page.url()}&as=${encodeURIComponent(ledger.bob)}`)
    await page.getByRole('button', { name: 'Stop viewing as bob' }).waitFor()
  })

  test('a refusal is shown in the form, which stays', async () => {
    const page = await explorer.open('/parties')
    await page.getByRole('button', { name: 'New party' }).click()
    await page.getByLabel('Hint').fill('no/slash')
    await page.getByRole('button', { name: 'Allocate' }).click()
    await page.getByRole('alert').getByText('INVALID_ARGUMENT').waitFor()
    assert.equal(await page.getByLabel('Hint').inputValue(), 'no/slash')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('a user is created, gets rights and loses them, gets a token, and is deleted', async () => {
    const { node, bob } = explorer.ledger
    const rightsOf = async (id: string) => (await node.call('GET', `/v2/users/${id}/rights`)).json.rights
    const page = await explorer.open('/users', { colorScheme: 'dark' })
    await page.getByRole('button', { name: 'New user' }).click()
    await page.getByLabel('User id').fill('clerk')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'clerk' }).waitFor()
    await page.getByText('This user has no rights').waitFor()

    await page.getByRole('button', { name: 'Grant' }).click()
    await page.getByLabel('Right', { exact: true }).selectOption('CanReadAs')
    await page.getByRole('combobox', { name: 'Party', exact: true }).fill('bob')
    await page.getByRole('option', { name: 'bob' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Grant' }).click()
    await page.getByRole('row', { name: /CanReadAs bob/ }).waitFor()
    assert.deepEqual(await rightsOf('clerk'), [{ kind: { CanReadAs: { value: { party: bob } } } }])

    await page.getByRole('button', { name: 'Issue a token' }).click()
    const token = (await page.locator('pre.token').textContent())!
    assert.equal((await node.call('GET', '/v2/authenticated-user', { token })).json.user.id, 'clerk')

    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('This user has no rights').waitFor()
    assert.deepEqual(await rightsOf('clerk'), [])

    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Deactivated').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('deactivated', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    assert.equal((await node.call('GET', '/v2/users/clerk')).status, 404)
  })

  test('an identity provider is created, changed and deleted', async () => {
    const page = await explorer.open('/identity-providers')
    await page.getByRole('button', { name: 'New provider' }).click()
    await page.getByLabel('Id', { exact: true }).fill('corporate')
    await page.getByLabel('Issuer').fill('https://login.example')
    await page.getByLabel('URL of its keys').fill('https://login.example/jwks.json')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('row', { name: /corporate/ }).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Audience').fill('ledger')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /ledger/ }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No identity providers').waitFor()
  })

  test('nobody but an administrator is led there', async () => {
    const { ledger } = explorer
    const token = await ledger.userWith('bob-reader', { kind: { CanReadAs: { value: { party: ledger.bob } } } })
    const page = await explorer.open('/updates', { token, width: 380 })
    await page.getByRole('button', { name: 'Navigation' }).click()
    await page.getByRole('link', { name: 'Contracts' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0)
  })
})
